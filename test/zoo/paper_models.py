"""The 30 models of Benanza (Li and others, IPDPS 2020), and what the paper says of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from arcface_models import arcface
from caffenet_models import caffenet, rcnn_ilsvrc13
from cntk_models import emotion_ferplus, lenet
from duc_models import duc
from googlenet_models import googlenet
from light_models import light
from mobilenet_models import mobilenet_v2
from onnx import ModelProto
from resnet_models import resnet_v1, resnet_v2
from tiny_yolo_models import tiny_yolo_v2
from vgg_models import vgg
from weight_filling import Filling

Make = Callable[[Filling], ModelProto]


@dataclass(frozen=True)
class Bounds:
    """The paper's bounds on a V100 in fp32, in ms: along the critical path and of all layers one
    after the other, for batch sizes 1 and 32. None: no figure. From the tables of its artifact
    (anonipdps20.netlify.app).
    """

    parallel_1: float
    parallel_32: float
    sequential_1: float | None = None
    sequential_32: float | None = None


@dataclass(frozen=True)
class PaperModel:
    """macs, nodes: of our file for batch size 1. paper_macs, paper_layers: what the paper's table
    of models says. why: the cause, where they differ by more than its rounding.
    """

    name: str
    make: Make
    macs: int
    nodes: int
    paper_macs: float
    paper_layers: int
    bounds: Bounds | None = None
    why: str = ""

    def build(self, *, random: bool = True) -> ModelProto:
        """Return the model, with an open batch size N. random: whether its weights are; else they
        are constants, and take no space.
        """
        return self.make(Filling(self.name, random))


_RELU = "the paper counts one for each element of a Relu"
_LRN = f"{_RELU} and of an LRN"
_MUL = f"{_RELU} and of a Mul"
_FLAT = f"{_RELU}; and 512 columns, not 25088, for the Gemm after the first Flatten"


def _light(file: str) -> Make:
    return partial(light, file=file)


def _v1(depth: int) -> Make:
    return partial(resnet_v1, depth=depth)


def _v2(depth: int) -> Make:
    return partial(resnet_v2, depth=depth)


def _vgg(depth: int, normalized: bool = False) -> Make:
    return partial(vgg, depth=depth, normalized=normalized)


MODELS = (
    PaperModel(
        "arcface",
        arcface,
        12_089_606_144,
        412,
        12.08e9,
        412,
        Bounds(9.42, 46.1, 9.57, 46.8),
        why=_FLAT.replace("Relu", "PRelu"),
    ),
    PaperModel(
        "alexnet",
        _light("bvlc_alexnet"),
        654_560_384,
        24,
        656e6,
        24,
        Bounds(0.866, 2.64, 0.885, 2.66),
        why=_LRN,
    ),
    PaperModel("caffenet", caffenet, 720_608_384, 24, 721e6, 24, Bounds(0.867, 2.93), why=_LRN),
    PaperModel(
        "googlenet",
        googlenet,
        1_582_671_872,
        143,
        1.59e9,
        143,
        Bounds(1.275, 5.03, 3.59, 11.77),
        why=_LRN,
    ),
    PaperModel("rcnn_ilsvrc13", rcnn_ilsvrc13, 717_331_584, 23, 718e6, 23, why=_LRN),
    PaperModel(
        "densenet121",
        _light("densenet121"),
        2_834_161_664,
        910,
        2.87e9,
        910,
        Bounds(9.70, 50.1, 9.69, 50.2),
        why=_MUL,
    ),
    PaperModel(
        "duc",
        duc,
        673_074_204_672,
        355,
        34.94e9,
        355,
        Bounds(114.4, 2722, 164.8, 2896),
        why="unknown: the file is of 800x800 pixels, and the paper's times fit that; its MACs "
        "are near those of 224x224 without the last four convolutions (35.18 G)",
    ),
    PaperModel(
        "emotion_ferplus",
        emotion_ferplus,
        875_831_296,
        52,
        877e6,
        52,
        Bounds(0.972, 3.60),
        why=_RELU,
    ),
    PaperModel(
        "inception_v1",
        _light("inception_v1"),
        1_431_556_352,
        144,
        1.44e9,
        144,
        Bounds(1.368, 6.06, 3.61, 11.5),
        why=_LRN,
    ),
    PaperModel(
        "inception_v2",
        _light("inception_v2"),
        2_018_851_840,
        509,
        2.03e9,
        509,
        Bounds(2.81, 12.2, 5.72, 20.6),
        why=_MUL,
    ),
    PaperModel("lenet", lenet, 786_560, 12, 796e3, 12, Bounds(0.0888, 0.0975), why=_RELU),
    PaperModel(
        "mobilenet_v2",
        mobilenet_v2,
        429_111_936,
        155,
        437e6,
        155,
        Bounds(2.18, 13.8, 2.175, 13.9),
        why=_RELU.replace("Relu", "Clip"),
    ),
    PaperModel(
        "resnet18_v1",
        _v1(18),
        1_814_073_344,
        69,
        1.82e9,
        69,
        Bounds(1.693, 9.36, 1.789, 9.70),
        why=_RELU,
    ),
    PaperModel("resnet18_v2", _v2(18), 1_814_073_344, 69, 1.82e9, 69, why=_RELU),
    PaperModel(
        "resnet34_v1",
        _v1(34),
        3_663_761_408,
        125,
        3.67e9,
        125,
        Bounds(3.22, 16.1, 3.33, 16.4),
        why=_RELU,
    ),
    PaperModel("resnet34_v2", _v2(34), 3_663_761_408, 125, 3.67e9, 125, why=_RELU),
    PaperModel(
        "resnet50_v1",
        _v1(50),
        3_857_973_248,
        175,
        3.87e9,
        175,
        Bounds(3.775, 30.28, 4.576, 33.68),
        why=_RELU,
    ),
    PaperModel(
        "resnet50_v2",
        _v2(50),
        4_089_184_256,
        174,
        4.10e9,
        174,
        Bounds(4.45, 31.8, 4.71, 34.2),
        why=_RELU,
    ),
    PaperModel(
        "resnet101_v1",
        _v1(101),
        7_570_194_432,
        345,
        7.58e9,
        345,
        Bounds(7.40, 54.8, 8.82, 58.2),
        why=_RELU,
    ),
    PaperModel("resnet101_v2", _v2(101), 7_801_405_440, 344, 7.81e9, 344, why=_RELU),
    PaperModel(
        "resnet152_v1",
        _v1(152),
        11_282_415_616,
        515,
        11.30e9,
        515,
        Bounds(11.06, 81.1, 12.95, 84.5),
        why=_RELU,
    ),
    PaperModel("resnet152_v2", _v2(152), 11_513_626_624, 514, 11.53e9, 514, why=_RELU),
    PaperModel(
        "shufflenet",
        _light("shufflenet"),
        124_664_528,
        203,
        127e6,
        203,
        Bounds(2.51, 3.53),
        why=_RELU,
    ),
    PaperModel(
        "squeezenet1.1",
        _light("squeezenet"),
        349_151_936,
        66,
        352e6,
        66,
        Bounds(0.881, 4.32, 1.138, 5.35),
        why=_RELU,
    ),
    PaperModel(
        "tiny_yolo_v2",
        tiny_yolo_v2,
        3_485_520_896,
        33,
        3.13e9,
        32,
        Bounds(1.463, 14.4),
        why="the paper's last pooling makes 12x12 places, not 13x13 (so counted, we have 3.13 G); "
        "its ImageScaler is no operator of ONNX any more: a Mul and an Add",
    ),
    PaperModel("vgg16", _vgg(16), 15_470_264_320, 41, 15.38e9, 41, Bounds(2.86, 41.5), why=_FLAT),
    PaperModel(
        "vgg16_bn", _vgg(16, True), 15_470_264_320, 54, 15.38e9, 54, Bounds(3.37, 50.9), why=_FLAT
    ),
    PaperModel("vgg19", _vgg(19), 19_632_062_464, 47, 19.55e9, 47, Bounds(3.57, 49.7), why=_FLAT),
    PaperModel("vgg19_bn", _vgg(19, True), 19_632_062_464, 63, 19.55e9, 63, why=_FLAT),
    PaperModel(
        "zfnet512",
        _light("zfnet512"),
        1_481_727_008,
        22,
        1.48e9,
        22,
        Bounds(1.263, 6.23),
        why=_LRN,
    ),
)
