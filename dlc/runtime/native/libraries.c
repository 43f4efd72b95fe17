/* Opens libraries when the first model is made. */
#define _GNU_SOURCE
#include "libraries.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int models;

static void renew_lock(void) { pthread_mutex_init(&lock, NULL); }

/* In a child that is forked, another thread of the parent may have held the lock. */
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, renew_lock); }

/* Copy all of a file to memory; return the descriptor, -1 where that cannot be. */
static int copy_file(const char *path) {
  int source = open(path, O_RDONLY | O_CLOEXEC), copy = memfd_create("library", MFD_CLOEXEC);
  struct stat found;
  int64_t left = source >= 0 && copy >= 0 && !fstat(source, &found) ? found.st_size : -1;
  while (left > 0) {
    ssize_t done = sendfile(copy, source, NULL, (size_t)left);
    left = done > 0 ? left - done : -1;
  }
  if (source >= 0) close(source);
  if (!left) return copy;
  if (copy >= 0) close(copy);
  return -1;
}

/* Open a copy of the file that the linker finds under a name. Its dependencies are those of the original, which stays
 * open meanwhile where the linker had to look for it. */
static void *open_copy(const char *name, int *copy) {
  struct link_map *map = NULL;
  void *original = strchr(name, '/') ? NULL : dlopen(name, RTLD_LAZY | RTLD_LOCAL), *handle = NULL;
  if (!original && !strchr(name, '/')) return NULL;
  if (original) dlinfo(original, RTLD_DI_LINKMAP, &map);
  *copy = copy_file(map ? map->l_name : name);
  if (*copy >= 0) {
    char path[64]; /* spelled as nobody else does */
    snprintf(path, sizeof path, "/proc/self/./fd/./%d", *copy);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!handle) close(*copy);
  }
  if (original) dlclose(original);
  return handle;
}

static void *open_file(const dlc_library_place *place, const char *name, int *copy) {
  *copy = -1;
  int kept = place->is_kept ? RTLD_NODELETE : 0;
  return place->is_copied ? open_copy(name, copy) : dlopen(name, RTLD_NOW | RTLD_LOCAL | kept);
}

static void close_file(dlc_opened *opened) {
  dlclose(opened->handle);
  if (opened->copy >= 0) close(opened->copy);
  opened->handle = NULL;
}

/* The address of a function by one of the names that it may have. */
static void *find(const dlc_library_place *place, void *handle, const char *function) {
  for (const char *const *prefix = place->prefixes; *prefix; prefix++) {
    char name[256];
    snprintf(name, sizeof name, "%s%s", *prefix, function);
    void *address = dlsym(handle, name);
    if (address) return address;
  }
  return NULL;
}

static void forget(const dlc_library_place *place) {
  for (int32_t i = 0; i < place->function_count; i++) *place->functions[i].address = NULL;
}

/* Return the name of a function that is not there, NULL where all are. */
static const char *find_all(const dlc_library_place *place, void *handle) {
  for (int32_t i = 0; i < place->function_count; i++) {
    const dlc_function *each = &place->functions[i];
    *each->address = find(place, handle, each->name);
    if (!*each->address) {
      forget(place);
      return each->name;
    }
  }
  return NULL;
}

/* Open a library from one file, if it is there with all functions; else say what is wrong with it. */
static int try_file(int32_t number, const char *name) {
  const dlc_library_place *place = &dlc_library_places[number];
  dlc_opened *opened = &dlc_opened_libraries[number];
  const char *missing = NULL;
  snprintf(opened->state, sizeof opened->state, "%s", name);
  opened->handle = open_file(place, name, &opened->copy);
  if (!opened->handle) snprintf(opened->state, sizeof opened->state, "%s cannot be opened", name);
  if (opened->handle && (missing = find_all(place, opened->handle))) {
    snprintf(opened->state, sizeof opened->state, "%s has no function %s", name, missing);
    close_file(opened);
  }
  opened->named = strlen(opened->state);
  if (opened->handle) place->begin();
  return opened->handle != NULL;
}

/* What the environment names is taken or nothing is: a mistake in it shows. */
static int look(int32_t number) {
  const dlc_library_place *place = &dlc_library_places[number];
  const char *given = getenv(place->variable);
  if (dlc_opened_libraries[number].is_off) {
    strcpy(dlc_opened_libraries[number].state, "it is switched off");
    return 0;
  }
  if (given && *given) return try_file(number, given);
  const char *path = dlc_opened_libraries[number].path;
  if (*path && try_file(number, path)) return 1;
  for (const char *const *file = place->files; *file; file++)
    if (try_file(number, *file)) return 1;
  return 0;
}

void dlc_libraries_take(void) {
  pthread_mutex_lock(&lock);
  for (int32_t i = 0; !models && i < dlc_library_count; i++) {
    dlc_libraries[i].is_used = look(i);
    dlc_libraries[i].kernel_count = dlc_libraries[i].refused_count = 0;
    dlc_libraries[i].state = dlc_opened_libraries[i].state;
  }
  models++;
  pthread_mutex_unlock(&lock);
}

void dlc_libraries_give(void) {
  pthread_mutex_lock(&lock);
  models--;
  for (int32_t i = 0; !models && i < dlc_library_count; i++) {
    if (!dlc_libraries[i].is_used) continue;
    forget(&dlc_library_places[i]);
    close_file(&dlc_opened_libraries[i]);
    dlc_libraries[i].is_used = 0;
  }
  pthread_mutex_unlock(&lock);
}

void dlc_libraries_note(int32_t number, int32_t kernels, int32_t refused, const char *reason) {
  dlc_opened *opened = &dlc_opened_libraries[number];
  char *end = opened->state + opened->named;
  pthread_mutex_lock(&lock);
  dlc_libraries[number].kernel_count = kernels;
  dlc_libraries[number].refused_count = refused;
  *end = 0;
  if (refused)
    snprintf(end, sizeof opened->state - opened->named, "; for %d of %d kernels generated ones run: %s", (int)refused,
             (int)kernels, reason);
  pthread_mutex_unlock(&lock);
}

dlc_status dlc_libraries_set(int32_t number, const char *path) {
  if (number < 0 || number >= dlc_library_count)
    return dlc_fail(DLC_INVALID_ARGUMENT, "set_library: there is no library %d", (int)number);
  if (path && strlen(path) >= DLC_PATH_BYTES)
    return dlc_fail(DLC_INVALID_ARGUMENT, "set_library: the path is too long");
  pthread_mutex_lock(&lock);
  dlc_opened_libraries[number].is_off = !path;
  strcpy(dlc_opened_libraries[number].path, path ? path : "");
  pthread_mutex_unlock(&lock);
  return DLC_OK;
}
