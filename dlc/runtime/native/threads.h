/* The threads of a run on the CPU. */
#ifndef DLC_THREADS_H
#define DLC_THREADS_H

#include <pthread.h>
#include <stdint.h>

/* The iterations of a loop from `first` to before `end`. captured: what the loop reads of the code around it. */
typedef void dlc_share(void *captured, int64_t first, int64_t end);

/* Do `count` iterations, a share on each thread of the caller's team, and wait for all. The shares are as even as can
 * be, the first ones with one more, and those of equal loops are the same: a core finds in its cache what it has read
 * for the loop before. A caller without a team does all iterations itself. */
void dlc_spread(dlc_share *share, void *captured, int64_t count);

/* Threads that wait for loops of one caller. */
typedef struct dlc_team dlc_team;

/* What OMP_NUM_THREADS says, else how many CPUs this process may use. */
int32_t dlc_usual_threads(void);

/* Return a team of so many threads, the caller among them, or of as many as the system gives; NULL without memory. */
dlc_team *dlc_team_start(int32_t threads);
void dlc_team_end(dlc_team *team);

/* Teams of as many threads that no run uses: runs at the same time need one each. */
typedef struct dlc_teams {
  pthread_mutex_t lock;
  dlc_team *idle;
} dlc_teams;

dlc_team *dlc_teams_take(dlc_teams *teams, int32_t threads); /* as dlc_team_start, where none is idle */
void dlc_teams_give(dlc_teams *teams, dlc_team *team);
void dlc_teams_end(dlc_teams *teams);

/* From now on the loops of the calling thread are this team's; NULL: its own. Returns the team before. */
dlc_team *dlc_team_use(dlc_team *team);

/* How many threads the loops of the calling thread are spread over. */
int32_t dlc_team_threads(void);

#endif
