/* Loops on a team of threads: each iteration is done once. Arguments: threads, loops, longest loop. */
#define _GNU_SOURCE
#include "threads.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 64 };

static int done[LONGEST], outer_done[2];

/* In a library of which no thread ever runs (-Dpthread_create=never_started -Dpthread_join=never_joined). */
int never_started(pthread_t *thread, const pthread_attr_t *with, void *(*work)(void *), void *argument) {
  (void)thread, (void)with, (void)work, (void)argument;
  return 0;
}
int never_joined(pthread_t thread, void **result) {
  (void)thread, (void)result;
  return 0;
}

#ifdef CPU_OF_OTHERS /* of two; the caller is on the first one (-Dsched_getcpu=own_cpu and so on) */
static _Atomic int moved, let_go;

int own_cpu(void) { return gettid() == getpid() ? 0 : CPU_OF_OTHERS; }
int two_cpus(pid_t thread, size_t bytes, cpu_set_t *cpus) {
  (void)thread, (void)bytes;
  CPU_ZERO(cpus);
  CPU_SET(0, cpus);
  CPU_SET(1, cpus);
  return 0;
}
int move(pid_t thread, size_t bytes, const cpu_set_t *cpus) {
  if (thread || bytes != sizeof *cpus || gettid() == getpid() || !CPU_ISSET(1, cpus)) exit(1);
  atomic_fetch_add(CPU_ISSET(0, cpus) ? &let_go : &moved, 1);
  return 0;
}
static int moves_are_right(void) { return moved == let_go && (moved > 0) == (CPU_OF_OTHERS == 0); }
#else
static int moves_are_right(void) { return 1; }
#endif

static void share(void *captured, int64_t first, int64_t end) {
  for (int64_t i = first; i < end; i++) done[i] += *(int *)captured;
}

static void nested(void *captured, int64_t first, int64_t end) {
  if (first == 0) dlc_spread(share, captured, LONGEST);
  for (int64_t i = first; i < end; i++) outer_done[i]++;
}

static void check(int64_t count, int times, const char *what) {
  for (int64_t i = 0; i < LONGEST; i++)
    if (done[i] != (i < count ? times : 0)) {
      printf("%s of %d: iteration %d was done %d times\n", what, (int)count, (int)i, done[i]);
      exit(1);
    }
  memset(done, 0, sizeof done);
}

int main(int count, char **arguments) {
  int threads = atoi(arguments[1]), loops = atoi(arguments[2]), longest = atoi(arguments[3]), one = count > 0;
  dlc_teams teams = {PTHREAD_MUTEX_INITIALIZER, NULL};
  dlc_team *team = dlc_teams_take(&teams, threads), *other = dlc_teams_take(&teams, threads);
  if (team == other || dlc_team_use(team) || dlc_team_threads() != threads) return 1;
  for (int loop = 0; loop < loops; loop++) {
    dlc_spread(share, &one, loop % (longest + 1));
    check(loop % (longest + 1), 1, "a loop");
    if (loop % 1000 == 999) usleep(3000); /* threads go to sleep */
  }
  dlc_spread(nested, &one, 2);
  check(LONGEST, 1, "a nested loop");
  if (outer_done[0] != 1 || outer_done[1] != 1) return 1;
  if (dlc_team_use(other) != team || dlc_team_use(NULL) != other || dlc_team_threads() != 1) return 1;
  dlc_teams_give(&teams, team);
  if (dlc_teams_take(&teams, threads) != team) return 1;
  dlc_teams_give(&teams, team);
  dlc_teams_give(&teams, other);
  dlc_teams_end(&teams);
  return moves_are_right() ? 0 : 1;
}
