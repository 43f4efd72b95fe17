/* Libraries that kernels call where they are found. */
#ifndef DLC_LIBRARIES_H
#define DLC_LIBRARIES_H

#include <stdint.h>

#include "program.h"

/* address: NULL until the library with all its functions was found, and after it was closed. */
typedef struct dlc_function {
  const char *name;
  void **address;
} dlc_function;

/* Where a library is looked for. files, prefixes: end with NULL. is_copied: a copy of the file is opened, so that what
 * `begin` sets is nobody else's. is_kept: it stays in memory once it is closed. begin: called once the functions are found. */
typedef struct dlc_library_place {
  const char *variable;
  const char *const *files, *const *prefixes;
  const dlc_function *functions;
  int32_t function_count, is_copied, is_kept;
  void (*begin)(void);
} dlc_library_place;

/* What was opened. copy: the file in memory that is open while the library is, so that no other file has its number;
 * -1: none. is_off, path: from set_library. named: the bytes of the state before what `dlc_libraries_note` says. */
typedef struct dlc_opened {
  void *handle;
  int copy, is_off;
  size_t named;
  char path[DLC_PATH_BYTES], state[DLC_PATH_BYTES + 256];
} dlc_opened;

/* Defined by the printed program; the rows of all tables belong together. */
extern const int32_t dlc_library_count;
extern dlc_library dlc_libraries[];
extern const dlc_library_place dlc_library_places[];
extern dlc_opened dlc_opened_libraries[];

/* For each model that is made, and for each that goes: the first one opens the libraries, the last one closes them. */
void dlc_libraries_take(void);
void dlc_libraries_give(void);

/* Say of an opened library for how many of the kernels of a model that call it generated ones run, and why. */
void dlc_libraries_note(int32_t number, int32_t kernels, int32_t refused, const char *reason);

/* As set_library of the entry table. */
dlc_status dlc_libraries_set(int32_t number, const char *path);

#endif
