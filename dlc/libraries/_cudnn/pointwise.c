/* Functions of elements, as cuDNN is told of them. */
enum {
  CUDNN_DESCRIPTOR_POINTWISE = 0,
  CUDNN_DESCRIPTOR_OPERATION_POINTWISE = 13,
  CUDNN_TYPE_POINTWISE_MODE = 14,
  CUDNN_ATTR_POINTWISE_MODE = 0,
  CUDNN_ATTR_POINTWISE_MATH_PREC = 1,
  CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR = 750,
  CUDNN_ATTR_OPERATION_POINTWISE_XDESC = 751,
  CUDNN_ATTR_OPERATION_POINTWISE_BDESC = 752,
  CUDNN_ATTR_OPERATION_POINTWISE_YDESC = 753
};

static int cudnn_describe_pointwise(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int32_t type = CUDNN_DATA_FLOAT;
  void *function = NULL;
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_POINTWISE, &function);
  cudnn_set(&status, function, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &o->mode);
  cudnn_set(&status, function, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &type);
  cudnn_finalize(&status, function);
  if (!status) status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_POINTWISE, made);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, function);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, s->tensors[o->inputs[0]]);
  if (o->input_count > 1)
    cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, s->tensors[o->inputs[1]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, s->tensors[o->output]);
  return status;
}
