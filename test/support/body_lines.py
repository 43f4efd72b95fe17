"""The text of the ops of a loop's body."""

from dataclasses import dataclass, field


@dataclass
class BodyLines:
    """The ops of a body of ``sequences`` by ``units``, with ``room`` elements behind what a step
    gives. tf32: whether products are.
    """

    sequences: int
    units: int
    element: str
    tf32: bool = False
    room: int = 0
    text: list[str] = field(default_factory=list[str])

    def tensor(self, *sizes: int) -> str:
        """Return the text of a type."""
        return f"tensor<{'x'.join(map(str, sizes))}x{self.element}>"

    def add(self, line: str) -> str:
        """Write a line; return the value that it names."""
        self.text.append(line)
        return line.split(" ")[0]

    def _type(self, gates: int = 1) -> str:
        return self.tensor(self.sequences, gates * self.units)

    def _name(self) -> str:
        return f"%v{len(self.text)}"

    def with_room(self, value: str) -> str:
        """Write a value as a row with room behind it."""
        count = self.sequences * self.units
        flat, whole = self.tensor(count), self.tensor(count + self.room)
        row = self.add(
            f"{self._name()} = graph.reshape {value} {{sizes = array<i64: {count}>}} : "
            f"{self._type()} -> {flat}"
        )
        zero = f"value = 0.000000e+00 : {self.element}"
        ends = f"low = array<i64: 0>, high = array<i64: {self.room}>"
        return self.add(
            f'{self._name()} = graph.pad {row} {{mode = "constant", {zero}, {ends}}} : '
            f"{flat} -> {whole}"
        )

    def product(self, lhs: str, rhs: str, gates: int) -> str:
        """Write the product of a value and rows of weights."""
        h, how = self.units, " precision tf32" if self.tf32 else ""
        weight = self.tensor(gates * h, h)
        return self.add(
            f"{self._name()} = graph.matmul {lhs}, {rhs} transpose_rhs{how} : "
            f"({self._type()}, {weight}) -> {self._type(gates)}"
        )

    def part(self, x: str, number: int, gates: int) -> str:
        """Write one of ``gates`` parts of a value."""
        h, b = self.units, self.sequences
        return self.add(
            f"{self._name()} = graph.slice {x} {{starts = array<i64: 0, {number * h}>, "
            f"stops = array<i64: {b}, {(number + 1) * h}>, steps = array<i64: 1, 1>}} : "
            f"{self._type(gates)} -> {self._type()}"
        )

    def binary(self, op: str, x: str, y: str, gates: int = 1, right: str = "") -> str:
        """Write an op of two values."""
        type = self._type(gates)
        return self.add(
            f"{self._name()} = graph.{op} {x}, {y} : ({type}, {right or type}) -> {type}"
        )

    def unary(self, op: str, x: str) -> str:
        """Write an op of one value."""
        return self.add(f"{self._name()} = graph.{op} {x} : {self._type()} -> {self._type()}")
