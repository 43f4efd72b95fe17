/* Attention, as cuDNN is told of them. */
enum {
  CUDNN_DESCRIPTOR_OPERATION_SDPA_FWD = 41,
  CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC = 2800,
  CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC = 2801,
  CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC = 2802,
  CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC = 2803,
  CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC = 2805
};

static int cudnn_describe_attention(cudnn_state *s, const cudnn_operation *o, void **made) {
  static const int attributes[] = {CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC,
                                   CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC};
  int status = cudnn_create(s, CUDNN_DESCRIPTOR_OPERATION_SDPA_FWD, made);
  for (uint32_t i = 0; i < o->input_count; i++)
    cudnn_set_descriptor(&status, *made, attributes[i], s->tensors[o->inputs[i]]);
  cudnn_set_descriptor(&status, *made, CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, s->tensors[o->output]);
  return status;
}
