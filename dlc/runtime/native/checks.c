/* The message of the last failure, and the checks that every target makes. */
#include <stdarg.h>
#include <stdio.h>

#include "program.h"

static __thread char message[512];

dlc_status dlc_fail(dlc_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return status;
}

const char *dlc_message(void) { return message; }

static dlc_status check_pointers(const char *what, int32_t count, const void *const *pointers) {
  if (count && !pointers) return dlc_fail(DLC_INVALID_ARGUMENT, "run: the table of %ss is null", what);
  for (int32_t i = 0; i < count; i++)
    if (!pointers[i]) return dlc_fail(DLC_INVALID_ARGUMENT, "run: %s %d is null", what, (int)i);
  return DLC_OK;
}

dlc_status dlc_check_tables(const void *const *inputs, void *const *outputs) {
  dlc_status status = check_pointers("input", dlc_input_count, inputs);
  return status != DLC_OK ? status : check_pointers("output", dlc_output_count, (const void *const *)outputs);
}
