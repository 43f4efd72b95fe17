/* Convolutions, as cuDNN is told of them. */
enum {
  CUDNN_DESCRIPTOR_CONVOLUTION = 1,
  CUDNN_DESCRIPTOR_OPERATION_CONVOLUTION_FORWARD = 10,
  CUDNN_TYPE_CONVOLUTION_MODE = 7,
  CUDNN_ATTR_CONVOLUTION_COMP_TYPE = 100,
  CUDNN_ATTR_CONVOLUTION_CONV_MODE = 101,
  CUDNN_ATTR_CONVOLUTION_DILATIONS = 102,
  CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES = 103,
  CUDNN_ATTR_CONVOLUTION_POST_PADDINGS = 104,
  CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS = 105,
  CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS = 106,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA = 700,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA = 701,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC = 702,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W = 703,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X = 704,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y = 705,
  CUDNN_CROSS_CORRELATION = 1
};

static int cudnn_describe_convolution(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int32_t type = CUDNN_DATA_FLOAT, mode = CUDNN_CROSS_CORRELATION;
  static const float one = 1, zero = 0;
  void *window = NULL;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_CONVOLUTION, &window);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &o->axes);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, o->axes, o->strides);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, o->axes, o->begins);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, o->axes, o->ends);
  cudnn_set(&status, window, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, o->axes, o->dilations);
  cudnn_finalize(&status, window);
  if (!status) status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_CONVOLUTION_FORWARD, made);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, window);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, s->tensors[o->inputs[0]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, s->tensors[o->inputs[1]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, s->tensors[o->output]);
  cudnn_set(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, &one);
  cudnn_set(&status, *made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, &zero);
  return status;
}
