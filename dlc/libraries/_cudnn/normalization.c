/* Normalisations, as cuDNN is told of them. */
enum {
  CUDNN_DESCRIPTOR_OPERATION_NORM_FORWARD = 29,
  CUDNN_TYPE_NORM_MODE = 27,
  CUDNN_TYPE_NORM_FWD_PHASE = 28,
  CUDNN_ATTR_OPERATION_NORM_FWD_MODE = 2000,
  CUDNN_ATTR_OPERATION_NORM_FWD_PHASE = 2001,
  CUDNN_ATTR_OPERATION_NORM_FWD_XDESC = 2002,
  CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC = 2005,
  CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC = 2006,
  CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC = 2007,
  CUDNN_ATTR_OPERATION_NORM_FWD_YDESC = 2013,
  CUDNN_NORM_FWD_INFERENCE = 0
};

static int cudnn_describe_normalization(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int32_t phase = CUDNN_NORM_FWD_INFERENCE;
  static const int attributes[] = {CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC,
                                   CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC};
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_NORM_FORWARD, made);
  cudnn_set(&status, *made, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, 1, &o->mode);
  cudnn_set(&status, *made, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, 1, &phase);
  for (uint32_t i = 0; i < o->input_count; i++)
    cudnn_set_descriptor(&status, *made, attributes[i], s->tensors[o->inputs[i]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, s->tensors[o->output]);
  return status;
}
