/* Poolings, as cuDNN is told of them. */
enum {
  CUDNN_DESCRIPTOR_RESAMPLE = 24,
  CUDNN_DESCRIPTOR_OPERATION_RESAMPLE_FWD = 25,
  CUDNN_TYPE_NAN_PROPOGATION = 10,
  CUDNN_TYPE_RESAMPLE_MODE = 21,
  CUDNN_TYPE_PADDING_MODE = 22,
  CUDNN_ATTR_RESAMPLE_MODE = 1700,
  CUDNN_ATTR_RESAMPLE_COMP_TYPE = 1701,
  CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS = 1702,
  CUDNN_ATTR_RESAMPLE_POST_PADDINGS = 1703,
  CUDNN_ATTR_RESAMPLE_PRE_PADDINGS = 1704,
  CUDNN_ATTR_RESAMPLE_STRIDES = 1705,
  CUDNN_ATTR_RESAMPLE_WINDOW_DIMS = 1706,
  CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION = 1707,
  CUDNN_ATTR_RESAMPLE_PADDING_MODE = 1708,
  CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC = 1710,
  CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC = 1711,
  CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC = 1716,
  CUDNN_PROPAGATE_NAN = 1,
  CUDNN_RESAMPLE_MAXPOOL = 3,
  CUDNN_ZERO_PAD = 0,
  CUDNN_NEG_INF_PAD = 1
};

static int cudnn_describe_pooling(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int32_t type = CUDNN_DATA_FLOAT, nan = CUDNN_PROPAGATE_NAN;
  const int32_t padding = o->mode == CUDNN_RESAMPLE_MAXPOOL ? CUDNN_NEG_INF_PAD : CUDNN_ZERO_PAD;
  void *window = NULL;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_RESAMPLE, &window);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE, 1, &o->mode);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, 1, &nan);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_TYPE_PADDING_MODE, 1, &padding);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &o->axes);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, CUDNN_TYPE_INT64, o->axes, o->taps);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_STRIDES, CUDNN_TYPE_INT64, o->axes, o->strides);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, CUDNN_TYPE_INT64, o->axes, o->begins);
  cudnn_set(&status, window, CUDNN_ATTR_RESAMPLE_POST_PADDINGS, CUDNN_TYPE_INT64, o->axes, o->ends);
  cudnn_finalize(&status, window);
  if (!status) status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_RESAMPLE_FWD, made);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, window);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, s->tensors[o->inputs[0]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, s->tensors[o->output]);
  return status;
}
