/* Finds the artifact's own file and maps what is appended to it (docs/artifact.md). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

enum { PATH_BYTES = 4096, PAGE_BYTES = 4096 };

typedef struct trailer {
  char magic[8];
  uint32_t version, weights_beside;
  uint64_t device_code_offset, device_code_bytes;
  uint64_t weights_offset, weights_bytes;
  uint64_t report_offset, report_bytes;
  unsigned char weights_digest[32];
  uint64_t file_bytes;
  unsigned char file_digest[32];
} trailer;

typedef struct weights_trailer {
  char magic[8];
  uint64_t weights_bytes;
  unsigned char weights_digest[32];
} weights_trailer;

static dlc_status own_path(char *path) {
  Dl_info info;
  if (!dladdr((void *)&own_path, &info) || !info.dli_fname || strlen(info.dli_fname) >= PATH_BYTES)
    return dlc_fail(DLC_CORRUPT, "the path of the model's own file cannot be found");
  strcpy(path, info.dli_fname);
  return DLC_OK;
}

static int read_tail(int file, uint64_t file_bytes, void *tail, size_t bytes) {
  return file_bytes >= bytes && pread(file, tail, bytes, (off_t)(file_bytes - bytes)) == (ssize_t)bytes;
}

static dlc_status open_file(const char *path, int *file, uint64_t *bytes) {
  struct stat status;
  *file = open(path, O_RDONLY | O_CLOEXEC);
  if (*file < 0) return dlc_fail(DLC_CORRUPT, "%s: %s", path, strerror(errno));
  if (fstat(*file, &status) != 0) {
    close(*file);
    return dlc_fail(DLC_CORRUPT, "%s: %s", path, strerror(errno));
  }
  *bytes = (uint64_t)status.st_size;
  return DLC_OK;
}

static dlc_status map_segment(dlc_payload *payload, int which, int file, const char *path, uint64_t offset,
                              uint64_t bytes, const unsigned char **data) {
  if (bytes == 0) return DLC_OK;
  uint64_t start = offset & ~(uint64_t)(PAGE_BYTES - 1);
  size_t length = (size_t)(bytes + (offset - start));
  void *map = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, (off_t)start);
  if (map == MAP_FAILED)
    return dlc_fail(DLC_OUT_OF_MEMORY, "%s: cannot map %zu bytes: %s", path, length, strerror(errno));
  payload->maps[which] = map;
  payload->map_bytes[which] = length;
  *data = (const unsigned char *)map + (offset - start);
  return DLC_OK;
}

static int inside(uint64_t offset, uint64_t bytes, uint64_t limit) {
  return offset <= limit && bytes <= limit - offset;
}

static int is_sound(const trailer *t, uint64_t file_bytes) {
  return memcmp(t->magic, "DLCMODEL", 8) == 0 && t->version == 1 && t->file_bytes == file_bytes &&
         inside(t->device_code_offset, t->device_code_bytes, file_bytes) &&
         (t->weights_beside || inside(t->weights_offset, t->weights_bytes, file_bytes));
}

static dlc_status open_beside(const char *path, const trailer *of_model, dlc_payload *payload) {
  int file;
  uint64_t bytes;
  weights_trailer tail;
  dlc_status status = open_file(path, &file, &bytes);
  if (status != DLC_OK) return status;
  if (!read_tail(file, bytes, &tail, sizeof tail) || memcmp(tail.magic, "DLCWEIGH", 8) != 0 ||
      tail.weights_bytes != of_model->weights_bytes || bytes != tail.weights_bytes + sizeof tail)
    status = dlc_fail(DLC_CORRUPT, "%s: no complete weights file", path);
  else if (memcmp(tail.weights_digest, of_model->weights_digest, 32) != 0)
    status = dlc_fail(DLC_CORRUPT, "%s: these weights belong to another model", path);
  else
    status = map_segment(payload, 1, file, path, 0, tail.weights_bytes, &payload->weights);
  close(file);
  return status;
}

static dlc_status open_segments(const char *path, const char *weights_path, int file, uint64_t bytes,
                                dlc_payload *payload) {
  trailer tail;
  if (!read_tail(file, bytes, &tail, sizeof tail) || !is_sound(&tail, bytes))
    return dlc_fail(DLC_CORRUPT, "%s: the file is damaged or incomplete; compile the model again", path);
  payload->weights_bytes = tail.weights_bytes;
  dlc_status status = map_segment(payload, 0, file, path, tail.device_code_offset, tail.device_code_bytes,
                                  &payload->device_code);
  if (status != DLC_OK) return status;
  if (!tail.weights_beside)
    return map_segment(payload, 1, file, path, tail.weights_offset, tail.weights_bytes, &payload->weights);
  char beside[PATH_BYTES + 16];
  if (strlen(path) >= PATH_BYTES) return dlc_fail(DLC_INVALID_ARGUMENT, "the path of the model is too long");
  snprintf(beside, sizeof beside, "%s.weights", path);
  return open_beside(weights_path ? weights_path : beside, &tail, payload);
}

dlc_status dlc_payload_open(const char *path, const char *weights_path, dlc_payload *payload) {
  char found[PATH_BYTES];
  int file;
  uint64_t bytes;
  memset(payload, 0, sizeof *payload);
  dlc_status status = path ? DLC_OK : own_path(found);
  if (!path) path = found;
  if (status == DLC_OK) status = open_file(path, &file, &bytes);
  if (status != DLC_OK) return status;
  status = open_segments(path, weights_path, file, bytes, payload);
  close(file);
  if (status != DLC_OK) dlc_payload_close(payload);
  return status;
}

void dlc_payload_close(dlc_payload *payload) {
  for (int which = 0; which < 2; which++)
    if (payload->maps[which]) munmap(payload->maps[which], payload->map_bytes[which]);
  memset(payload, 0, sizeof *payload);
}
