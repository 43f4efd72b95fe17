/* A team of threads that do the iterations of a loop.
 *
 * The caller publishes a loop, and does its own share. A share that its thread has not begun by then is the caller's,
 * too: a thread that is not running, since others use its core, holds nobody up. Who waits looks for some time, then
 * lets others have the core between two looks, and sleeps in the kernel in the end. A thread that finds its share done
 * and is on the caller's core goes to another one: the kernel may leave both there, where they never run at once. */
#define _GNU_SOURCE
#include "threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  LOOKS = 1000, /* 15 to 50 us: longer than neighbouring shares differ */
  YIELDS = 1000 /* 0.3 ms of an idle core: longer than what lies between two runs */
};

/* Numbers of loops; both are the loop's before it is published. */
typedef struct member {
  _Alignas(64) _Atomic uint32_t begun; /* by its thread or by the caller */
  _Atomic uint32_t done;
  _Atomic uint32_t sleepers; /* that wait for `done` */
  int32_t number;
  dlc_team *team;
  pthread_t thread;
} member;

struct dlc_team {
  dlc_share *share; /* of the loop; NULL: threads end */
  void *captured;
  int64_t count;
  int32_t threads;
  dlc_team *next; /* of those that are idle */
  _Atomic int caller_cpu; /* where the caller was when it last did a share of another */
  _Alignas(64) _Atomic uint32_t loop; /* the number of the last one that was published */
  _Atomic uint32_t sleepers;          /* that wait for `loop` */
  member members[];                   /* the first one is the caller */
};

static __thread dlc_team *own_team;

static void look_again(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void wake(_Atomic uint32_t *word, _Atomic uint32_t *sleepers) {
  if (atomic_load(sleepers)) syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Wait until a word is no longer `old`. */
static void wait_for(_Atomic uint32_t *word, uint32_t old, _Atomic uint32_t *sleepers) {
  for (int i = 0; i < LOOKS; i++, look_again())
    if (atomic_load_explicit(word, memory_order_acquire) != old) return;
  for (int i = 0; i < YIELDS; i++, sched_yield())
    if (atomic_load_explicit(word, memory_order_acquire) != old) return;
  atomic_fetch_add(sleepers, 1);
  while (atomic_load(word) == old) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
  atomic_fetch_sub(sleepers, 1);
}

/* Whether the share of a member is the caller's of this function from now on. */
static int begin(member *member, uint32_t loop) {
  uint32_t before = loop - 1;
  return atomic_compare_exchange_strong(&member->begun, &before, loop);
}

static void do_share(const dlc_team *team, int32_t number) {
  int64_t each = team->count / team->threads, more = team->count % team->threads;
  int64_t first = number * each + (number < more ? number : more);
  int64_t end = first + each + (number < more);
  if (first < end) team->share(team->captured, first, end);
}

/* Move this thread to another CPU if it is on that one; the kernel may place it as before from then on. */
static void leave(int cpu) {
  cpu_set_t usual, others;
  if (cpu != sched_getcpu() || sched_getaffinity(0, sizeof usual, &usual)) return;
  others = usual;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) && !sched_setaffinity(0, sizeof others, &others)) sched_setaffinity(0, sizeof usual, &usual);
}

static void *work(void *argument) {
  member *self = argument;
  dlc_team *team = self->team;
  for (uint32_t loop = 0;;) {
    wait_for(&team->loop, loop, &team->sleepers);
    loop = atomic_load_explicit(&team->loop, memory_order_acquire);
    if (!begin(self, loop)) { /* the caller has done it */
      leave(atomic_load_explicit(&team->caller_cpu, memory_order_relaxed));
      continue;
    }
    if (!team->share) return NULL;
    do_share(team, self->number);
    atomic_store(&self->done, loop);
    wake(&self->done, &self->sleepers);
  }
}

static uint32_t publish(dlc_team *team, dlc_share *share, void *captured, int64_t count) {
  team->share = share;
  team->captured = captured;
  team->count = count;
  uint32_t loop = atomic_load_explicit(&team->loop, memory_order_relaxed) + 1;
  atomic_store(&team->loop, loop);
  wake(&team->loop, &team->sleepers);
  return loop;
}

static void take_what_is_left(dlc_team *team, uint32_t loop) {
  for (int32_t i = 1; i < team->threads; i++) {
    if (!begin(&team->members[i], loop)) continue;
    atomic_store_explicit(&team->caller_cpu, sched_getcpu(), memory_order_relaxed);
    do_share(team, i);
    atomic_store_explicit(&team->members[i].done, loop, memory_order_relaxed);
  }
}

void dlc_spread(dlc_share *share, void *captured, int64_t count) {
  dlc_team *team = own_team;
  if (!team || team->threads == 1 || count < 2) {
    share(captured, 0, count);
    return;
  }
  own_team = NULL; /* a loop in a share is not spread */
  uint32_t loop = publish(team, share, captured, count);
  do_share(team, 0);
  take_what_is_left(team, loop);
  for (int32_t i = 1; i < team->threads; i++) {
    member *other = &team->members[i];
    if (atomic_load_explicit(&other->done, memory_order_acquire) != loop) wait_for(&other->done, loop - 1, &other->sleepers);
  }
  own_team = team;
}

int32_t dlc_usual_threads(void) {
  const char *given = getenv("OMP_NUM_THREADS");
  long threads = given ? strtol(given, NULL, 10) : 0;
  cpu_set_t cpus;
  if (threads < 1 && !sched_getaffinity(0, sizeof cpus, &cpus)) threads = CPU_COUNT(&cpus);
  return threads < 1 ? 1 : threads > INT16_MAX ? INT16_MAX : (int32_t)threads;
}

dlc_team *dlc_team_start(int32_t threads) {
  dlc_team *team = aligned_alloc(_Alignof(dlc_team), sizeof(dlc_team) + (size_t)threads * sizeof(member));
  if (!team) return NULL;
  *team = (dlc_team){.threads = 1, .caller_cpu = -1};
  for (int32_t i = 0; i < threads; i++) team->members[i] = (member){.number = i, .team = team};
  while (team->threads < threads) {
    member *next = &team->members[team->threads];
    if (pthread_create(&next->thread, NULL, work, next)) break;
    team->threads++; /* no thread reads it before the first loop */
  }
  return team;
}

void dlc_team_end(dlc_team *team) {
  if (!team) return;
  publish(team, NULL, NULL, 0);
  for (int32_t i = 1; i < team->threads; i++) pthread_join(team->members[i].thread, NULL);
  free(team);
}

dlc_team *dlc_teams_take(dlc_teams *teams, int32_t threads) {
  pthread_mutex_lock(&teams->lock);
  dlc_team *team = teams->idle;
  if (team) teams->idle = team->next;
  pthread_mutex_unlock(&teams->lock);
  return team ? team : dlc_team_start(threads);
}

void dlc_teams_give(dlc_teams *teams, dlc_team *team) {
  if (!team) return;
  pthread_mutex_lock(&teams->lock);
  team->next = teams->idle;
  teams->idle = team;
  pthread_mutex_unlock(&teams->lock);
}

void dlc_teams_end(dlc_teams *teams) {
  for (dlc_team *team; (team = teams->idle);) {
    teams->idle = team->next;
    dlc_team_end(team);
  }
}

dlc_team *dlc_team_use(dlc_team *team) {
  dlc_team *before = own_team;
  own_team = team;
  return before;
}

int32_t dlc_team_threads(void) { return own_team ? own_team->threads : 1; }
