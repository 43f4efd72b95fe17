/* Finds the artifact's own file and reads what is appended to it (docs/artifact.md). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

typedef struct trailer {
  char magic[8];
  uint32_t version, weights_beside;
  uint64_t device_code_offset, device_code_bytes;
  uint64_t weights_offset, weights_bytes;
  uint64_t report_offset, report_bytes;
  unsigned char weights_digest[32], identity[32];
  uint64_t file_bytes;
  unsigned char file_digest[32];
} trailer;

typedef struct weights_trailer {
  char magic[8];
  uint64_t weights_bytes;
  unsigned char weights_digest[32];
} weights_trailer;

static const char *own_path(void) {
  Dl_info info;
  return dladdr((void *)&own_path, &info) ? info.dli_fname : NULL;
}

static dlc_status set_path(dlc_segment *segment, const char *path, const char *suffix) {
  if (!path) return dlc_fail(DLC_CORRUPT, "the path of the model's own file cannot be found");
  int length = snprintf(segment->path, sizeof segment->path, "%s%s", path, suffix);
  if (length < 0 || length >= DLC_PATH_BYTES)
    return dlc_fail(DLC_INVALID_ARGUMENT, "the path of the model is too long");
  return DLC_OK;
}

/* Open the file at the segment's path; the segment is then all of it. */
static dlc_status open_file(dlc_segment *segment) {
  struct stat status;
  int file = open(segment->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not wait for a writer */
  if (file < 0) return dlc_fail(DLC_CORRUPT, "%s: %s", segment->path, strerror(errno));
  int failed = fstat(file, &status);
  if (failed || !S_ISREG(status.st_mode)) {
    const char *reason = failed ? strerror(errno) : "is no ordinary file";
    close(file);
    return dlc_fail(DLC_CORRUPT, "%s: %s", segment->path, reason);
  }
  segment->file = file;
  segment->written = status.st_mtim;
  segment->offset = 0;
  segment->bytes = (uint64_t)status.st_size;
  return DLC_OK;
}

dlc_status dlc_segment_read(const dlc_segment *segment, uint64_t offset, uint64_t bytes, void *to) {
  unsigned char *next = to;
  for (uint64_t done = 0; done < bytes;) {
    ssize_t count = pread(segment->file, next + done, bytes - done, (off_t)(segment->offset + offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return dlc_fail(DLC_CORRUPT, "%s: %s", segment->path, count ? strerror(errno) : "it was cut off while it was read");
    done += (uint64_t)count;
  }
  return DLC_OK;
}

static int read_tail(const dlc_segment *file, void *tail, uint64_t bytes) {
  return file->bytes >= bytes && dlc_segment_read(file, file->bytes - bytes, bytes, tail) == DLC_OK;
}

static int inside(uint64_t offset, uint64_t bytes, uint64_t limit) {
  return offset <= limit && bytes <= limit - offset;
}

static int is_sound(const trailer *t, uint64_t file_bytes) {
  return memcmp(t->magic, "DLCMODEL", 8) == 0 && t->version == 2 && t->file_bytes == file_bytes &&
         inside(t->device_code_offset, t->device_code_bytes, file_bytes) &&
         (t->weights_beside || inside(t->weights_offset, t->weights_bytes, file_bytes));
}

static dlc_status open_beside(const trailer *of_model, const char *path, const char *model_path, dlc_segment *weights) {
  weights_trailer tail;
  dlc_status status = path ? set_path(weights, path, "") : set_path(weights, model_path, ".weights");
  if (status == DLC_OK) status = open_file(weights);
  if (status != DLC_OK) return status;
  if (!read_tail(weights, &tail, sizeof tail) || memcmp(tail.magic, "DLCWEIGH", 8) != 0 ||
      tail.weights_bytes != of_model->weights_bytes || weights->bytes != tail.weights_bytes + sizeof tail)
    return dlc_fail(DLC_CORRUPT, "%s: no complete weights file", weights->path);
  if (memcmp(tail.weights_digest, of_model->weights_digest, 32) != 0)
    return dlc_fail(DLC_CORRUPT, "%s: these weights belong to another model", weights->path);
  weights->bytes = tail.weights_bytes;
  return DLC_OK;
}

static dlc_status open_segments(dlc_payload *payload, const char *weights_path) {
  trailer tail;
  dlc_segment *code = &payload->device_code, *weights = &payload->weights;
  if (!read_tail(code, &tail, sizeof tail) || !is_sound(&tail, code->bytes))
    return dlc_fail(DLC_CORRUPT, "%s: the file is damaged or incomplete; compile the model again", code->path);
  if (memcmp(tail.identity, dlc_identity, 32) != 0)
    return dlc_fail(DLC_CORRUPT, "%s: this file is another model than the library that was opened", code->path);
  code->offset = tail.device_code_offset;
  code->bytes = tail.device_code_bytes;
  if (tail.weights_beside) return open_beside(&tail, weights_path, code->path, weights);
  strcpy(weights->path, code->path);
  weights->file = code->file;
  weights->written = code->written;
  weights->offset = tail.weights_offset;
  weights->bytes = tail.weights_bytes;
  return DLC_OK;
}

static void close_files(dlc_payload *payload) {
  int own = payload->device_code.file, beside = payload->weights.file;
  if (beside >= 0 && beside != own) close(beside);
  if (own >= 0) close(own);
}

dlc_status dlc_payload_open(const char *path, const char *weights_path, dlc_payload *payload) {
  payload->device_code.file = payload->weights.file = -1;
  dlc_status status = set_path(&payload->device_code, path ? path : own_path(), "");
  if (status == DLC_OK) status = open_file(&payload->device_code);
  if (status == DLC_OK) status = open_segments(payload, weights_path);
  if (status != DLC_OK) close_files(payload);
  return status;
}

static dlc_status check_unchanged(const dlc_segment *segment) {
  struct stat now;
  const struct timespec *before = &segment->written;
  if (fstat(segment->file, &now) == 0 && now.st_mtim.tv_sec == before->tv_sec && now.st_mtim.tv_nsec == before->tv_nsec)
    return DLC_OK;
  return dlc_fail(DLC_CORRUPT, "%s: the file was written to while it was loaded", segment->path);
}

dlc_status dlc_payload_close(dlc_payload *payload) {
  dlc_status status = check_unchanged(&payload->device_code);
  if (status == DLC_OK) status = check_unchanged(&payload->weights);
  close_files(payload);
  return status;
}
