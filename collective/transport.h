/* What moves bytes between the processes of a group. Nothing here knows element types, and nothing waits but where it says so. Calls are made by
   one thread at a time; where `threads` of TesseraJob says so, always by the same one. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One communicator: an ordered set of processes, its ranks. */
struct TesseraGroup;

/* An exchange that has been begun. */
struct TesseraRequest;

/* What a call returns: done, or why not. */
enum TesseraTransportStatus { TESSERA_TRANSPORT_DONE = 0, TESSERA_TRANSPORT_FAILED = 1 };

/* What went wrong, for a person. */
struct TesseraTransportFailure {
  char message[256]; /* ends with a zero */
};

/* Which threads may make calls. */
enum TesseraThreads {
  TESSERA_THREADS_ONE = 0,     /* the one that began the engine */
  TESSERA_THREADS_IN_TURN = 1, /* any, one at a time */
};

/* This process in the job that a launcher has started. */
struct TesseraJob {
  int threads; /* TesseraThreads */
  int is_ours; /* the engine was begun by tessera_job_begin, and is to be ended */
};

/* Begins the engine unless the program has done so: then `before_end` is called when the program ends it. */
int tessera_job_begin(struct TesseraJob* job, void (*before_end)(void), struct TesseraTransportFailure* failure);
/* Ends the engine if that is ours: waits for all processes of the job to do the same. */
int tessera_job_end(struct TesseraTransportFailure* failure);

/* All processes of the job. Waits for all of them. */
int tessera_group_world(struct TesseraGroup** group, struct TesseraTransportFailure* failure);
/* The ranks that give one `color`, which is not negative, in the order of their ranks here. Waits for all of the group. */
int tessera_group_split(struct TesseraGroup* group, int color, struct TesseraGroup** part,
                        struct TesseraTransportFailure* failure);
/* Gives up what this process has of it. Waits for nobody. */
void tessera_group_free(struct TesseraGroup* group);

int tessera_group_rank(const struct TesseraGroup* group);
int tessera_group_size(const struct TesseraGroup* group);
/* How many ranks of the group before this one run on this host. */
int tessera_group_local_rank(const struct TesseraGroup* group);

/* Memory of a rank that this process can read, tessera_board_bytes of it, zeros at first, and if the rank is its own write; null if the rank runs
   on another host. */
void* tessera_group_board(const struct TesseraGroup* group, int rank);
enum { tessera_board_bytes = 40 * 1024 };

/* Exchanges that all ranks take part in run in one of so many lanes of a group. In one lane they are begun in the same order by all ranks, and each
   only after the one before has ended. */
enum { tessera_lanes = 4 };

enum TesseraExchangeKind {
  TESSERA_BROADCAST,  /* `from` of rank `peer` to `to` of all others, to_bytes[0] each; on `peer` only `from` is read */
  TESSERA_ALL_GATHER, /* `from` of every rank to `to` of all: to_bytes[r] bytes of rank r, one after the other */
  TESSERA_GATHER,     /* the same to `to` of rank `peer` */
  TESSERA_SCATTER,    /* from_bytes[r] bytes of `from` of rank `peer`, one after the other, to `to` of rank r */
  TESSERA_ALL_TO_ALL, /* from_bytes[r] bytes to each rank r, to_bytes[r] bytes from each */
  TESSERA_SEND,       /* from_bytes[0] bytes to rank `peer` */
  TESSERA_RECEIVE     /* at most to_bytes[0] bytes from rank `peer` */
};

/* `from` and `to` are untouched by others until it has ended, and share no memory, but that an all-gather may have this rank's bytes in their place
   in `to`. */
struct TesseraExchange {
  int kind; /* TesseraExchangeKind */
  int lane; /* of those that all ranks take part in */
  int peer; /* the root, or the other end */
  int tag;  /* of sends and receives, which find each other by it: 0 to 32767 */
  const void* from;
  void* to;
  const int64_t* from_bytes; /* the same in all ranks where both know them; they live as long as the exchange */
  const int64_t* to_bytes;
};

/* Begins an exchange. */
int tessera_exchange_begin(struct TesseraGroup* group, const struct TesseraExchange* exchange,
                           struct TesseraRequest** request, struct TesseraTransportFailure* failure);
/* Whether it has ended; the request is gone then, also if this fails. `received` is set to the bytes of a receive. */
int tessera_exchange_test(struct TesseraRequest* request, int* has_ended, int64_t* received,
                          struct TesseraTransportFailure* failure);

#ifdef __cplusplus
}
#endif
