// The Var queue: submission under all locks, granting, completion and hand-over, for every choice of what each op reads and writes.
//
// scenario: ANY_ACCESSES - three ops that read, write or leave alone each of two Vars, two threads that submit, two workers
// scenario: LONG_QUEUE - four ops that read or write the same Var
//
// Every mutant breaks one step, and the search must then find what stands behind the arrow:
// mutant: ANY_ACCESSES LOCKS_ONE_BY_ONE -> invalid end state
// mutant: ANY_ACCESSES LOCKS_UNSORTED -> invalid end state
// mutant: ANY_ACCESSES READ_OVERTAKES_QUEUE -> assertion violated
// mutant: ANY_ACCESSES WRITE_GRANTED_BESIDE_READERS -> assertion violated
// mutant: ANY_ACCESSES GRANTED_STAYS_QUEUED -> assertion violated
// mutant: ANY_ACCESSES PENDING_STORED_AFTER_UNLOCK -> assertion violated
// mutant: ANY_ACCESSES PENDING_READ_AFTER_UNLOCK -> assertion violated
// mutant: ANY_ACCESSES PENDING_COUNTED_IN_TWO_STEPS -> invalid end state
// mutant: ANY_ACCESSES LINK_READ_AFTER_GRANT -> assertion violated
// mutant: ANY_ACCESSES SECOND_SUCCESSOR_DROPPED -> invalid end state
// mutant: LONG_QUEUE BATCH_TAKES_READS -> assertion violated
// mutant: LONG_QUEUE BATCH_LEAVES_VAR_FREE -> assertion violated
// mutant: ANY_ACCESSES RELEASED_BEFORE_BODY -> assertion violated

#ifdef LONG_QUEUE
#define OPS 4
#else
#define OPS 3
#endif
#define VARS 2
#define NIL 7

// What an op does with a Var.
#define NONE 0
#define READ 1
#define WRITE 2
#define ACCESS(o, v) ((o) * VARS + (v))
byte kind[OPS * VARS];

// The life of an op. Whoever touches one that was not submitted yet or has run already touches freed memory.
#define NEW 0
#define PENDING 1
#define RUNNING 2
#define DONE 3
#define FREED 4
byte state[OPS];
byte pending[OPS];    // accesses that are not granted
bool ready[OPS];      // the ready queue, from which any op may come next: more orders than any real queue has
byte finished;

// A Var: its lock, and the queue that is linked through the accesses of the ops.
bool locked[VARS];
byte head[VARS];
byte tail[VARS];
byte next[OPS * VARS];
byte queued_reads[VARS];
byte readers[VARS];
bool writer[VARS];
byte batch[VARS];    // writes that are granted one after the other once the writer has ended; the writer's, who needs no lock for it

// What the submissions fixed, for the assertions alone: the ops seen by each Var, and those that each op must come after.
byte seen[VARS];
byte before[OPS];
#define CONFLICT(a, b, v) (kind[ACCESS(a, v)] + kind[ACCESS(b, v)] > WRITE && kind[ACCESS(a, v)] && kind[ACCESS(b, v)])
#define BEFORE(a, b) (before[b] & (1 << (a)))

inline lock(o, v) {
  d_step { (kind[ACCESS(o, v)] == NONE || !locked[v]) -> locked[v] = locked[v] || kind[ACCESS(o, v)] != NONE }
}

// The Var is read from the op, which may have begun by now but must not have been freed.
inline unlock(o, v) {
  d_step {
    assert(kind[ACCESS(o, v)] == NONE || (state[o] != NEW && state[o] != FREED));
    locked[v] = locked[v] && kind[ACCESS(o, v)] == NONE
  }
}

#define COMES_AFTER(o, a, v) ((seen[v] & (1 << (a))) && CONFLICT(a, o, v) -> 1 << (a) : 0)

inline note_order(o, v) {
  before[o] = before[o] | COMES_AFTER(o, 0, v) | COMES_AFTER(o, 1, v) | COMES_AFTER(o, 2, v);
#ifdef LONG_QUEUE
  before[o] = before[o] | COMES_AFTER(o, 3, v);
#endif
  seen[v] = seen[v] | (1 << o)
}

#ifdef READ_OVERTAKES_QUEUE
#define READ_MAY_START(v) (!writer[v])
#else
#define READ_MAY_START(v) (!writer[v] && head[v] == NIL)
#endif

// Under the lock of v: the access is granted, or goes to the end of the queue.
inline append(o, v) {
  if
  :: kind[ACCESS(o, v)] == NONE
  :: kind[ACCESS(o, v)] != NONE ->
     assert(locked[v]);
     note_order(o, v);
     if
     :: kind[ACCESS(o, v)] == READ && READ_MAY_START(v) -> readers[v]++
     :: kind[ACCESS(o, v)] == WRITE && head[v] == NIL && !writer[v] && readers[v] == 0 -> writer[v] = true
     :: else ->
        missing++;
        queued_reads[v] = queued_reads[v] + (kind[ACCESS(o, v)] == READ);
        if
        :: head[v] == NIL -> head[v] = o
        :: else -> next[ACCESS(tail[v], v)] = o
        fi;
        tail[v] = o
     fi
  fi
}

inline push(o) {
  d_step { assert(!ready[o]); ready[o] = true }
}

inline submit(o, first, second) {
  missing = 0;
#ifdef LOCKS_ONE_BY_ONE
  d_step { state[o] = PENDING; pending[o] = (kind[ACCESS(o, 0)] != NONE) + (kind[ACCESS(o, 1)] != NONE) + 1 }
  lock(o, 0);
  d_step { append(o, 0); unlock(o, 0) }
  lock(o, 1);
  d_step { append(o, 1); unlock(o, 1) }
  d_step {
    pending[o] = pending[o] - ((kind[ACCESS(o, 0)] != NONE) + (kind[ACCESS(o, 1)] != NONE) + 1 - missing);
    missing = pending[o]
  }
#else
  lock(o, first);
  lock(o, second);
  d_step {
    state[o] = PENDING;
    append(o, 0);
    append(o, 1);
#ifndef PENDING_STORED_AFTER_UNLOCK
    pending[o] = missing
#endif
  }
  unlock(o, 0);
  unlock(o, 1);
#ifdef PENDING_STORED_AFTER_UNLOCK
  pending[o] = missing;
#endif
#ifdef PENDING_READ_AFTER_UNLOCK
  missing = pending[o];
#endif
#endif
  if
  :: missing == 0 -> push(o)
  :: else
  fi
}

#ifdef LOCKS_UNSORTED
#define FIRST_OF_OTHER 1
#else
#define FIRST_OF_OTHER 0
#endif

proctype submitter(byte from, upto) {
  byte missing, op = from;
  do
  :: op < upto ->
     if
     :: from == 0 -> submit(op, 0, 1)
     :: else -> submit(op, FIRST_OF_OTHER, (1 - FIRST_OF_OTHER))
     fi;
     op++
  :: else -> break
  od
}

// Under the lock of v: takes the first access off the queue and appends it to the chain of the granted.
inline take_head(v) {
  if
  :: chain == NIL -> chain = head[v]
  :: else
  fi;
  last = head[v];
  head[v] = next[ACCESS(last, v)]
}

#ifdef WRITE_GRANTED_BESIDE_READERS
#define WRITE_MAY_START(v) (!writer[v])
#else
#define WRITE_MAY_START(v) (!writer[v] && readers[v] == 0)
#endif

#define HEAD_IS(v, access) (head[v] != NIL && kind[ACCESS(head[v], v)] == access)

#ifdef BATCH_TAKES_READS
#define ONLY_WRITES_WAIT(v) true
#else
#define ONLY_WRITES_WAIT(v) (queued_reads[v] == 0)
#endif

#define HAS_BATCH(o, v) (kind[ACCESS(o, v)] == WRITE && batch[v] != NIL)

// Under the lock of v.
inline grant_next(v) {
  if
  :: HEAD_IS(v, WRITE) && WRITE_MAY_START(v) ->
     writer[v] = true;
     take_head(v);
     if
     :: ONLY_WRITES_WAIT(v) -> batch[v] = head[v]; head[v] = NIL
     :: else
     fi
  :: HEAD_IS(v, READ) && !writer[v] ->
     do
     :: HEAD_IS(v, READ) -> readers[v]++; queued_reads[v]--; take_head(v)
     :: else -> break
     od
  :: else
  fi;
#ifdef GRANTED_STAYS_QUEUED
  if
  :: chain != NIL && head[v] == NIL -> head[v] = last
  :: else
  fi;
#endif
  if
  :: last != NIL -> next[ACCESS(last, v)] = NIL; last = NIL
  :: else
  fi
}

// The whole critical section is one step, since it holds one lock only: where the lock is free, nobody is inside.
// A writer with a batch hands the Var over to the next one of it, even while somebody else holds the lock.
inline release(o, v) {
  d_step {
    (kind[ACCESS(o, v)] == NONE || HAS_BATCH(o, v) || !locked[v]) ->
    chain = NIL;
    if
    :: kind[ACCESS(o, v)] == NONE
    :: kind[ACCESS(o, v)] != NONE && HAS_BATCH(o, v) ->
       assert(writer[v] && readers[v] == 0);
       chain = batch[v];
       batch[v] = next[ACCESS(chain, v)];
       next[ACCESS(chain, v)] = NIL;
#ifdef BATCH_LEAVES_VAR_FREE
       writer[v] = false
#endif
    :: kind[ACCESS(o, v)] == READ && !HAS_BATCH(o, v) ->
       assert(readers[v] > 0 && !writer[v]);
       readers[v]--;
#ifndef WRITE_GRANTED_BESIDE_READERS
       if
       :: readers[v] == 0 -> grant_next(v)
       :: else
       fi
#else
       grant_next(v)
#endif
    :: kind[ACCESS(o, v)] == WRITE && !HAS_BATCH(o, v) ->
       assert(writer[v] && readers[v] == 0);
       writer[v] = false;
       grant_next(v)
    fi
  }
}

inline follow_link(v) {
  d_step {
    assert(state[chain] == PENDING);
    link = next[ACCESS(chain, v)];
    next[ACCESS(chain, v)] = NIL
  }
}

// Only grants lower the count: where 1 is left, it is this grant, and the atomic subtraction is saved. True if this was the last.
inline count_down() {
  d_step { assert(state[chain] == PENDING && pending[chain] > 0); count = pending[chain] }
  if
  :: count == 1
  :: else ->
#ifdef PENDING_COUNTED_IN_TWO_STEPS
     pending[chain] = count - 1
#else
     d_step { assert(state[chain] == PENDING && pending[chain] > 0); count = pending[chain]; pending[chain]-- }
#endif
  fi
}

// Outside the lock: what became ready is collected.
inline grant(v) {
  do
  :: chain == NIL -> break
  :: else ->
#ifndef LINK_READ_AFTER_GRANT
     follow_link(v);
#endif
     count_down();
     d_step {
       if
       :: count == 1 -> assert(!(became_ready & (1 << chain))); became_ready = became_ready | (1 << chain)
       :: else
       fi;
#ifdef LINK_READ_AFTER_GRANT
       assert(state[chain] == PENDING);
       link = next[ACCESS(chain, v)];
       next[ACCESS(chain, v)] = NIL;
#endif
       chain = link;
       link = NIL;
       count = 0
     }
  od;
  skip  // a jump may not end at a d_step
}

inline push_if_ready(o) {
  if
  :: became_ready & (1 << o) -> assert(!ready[o]); ready[o] = true
  :: else
  fi
}

// One of those that became ready is run next by this worker, or none if the executor would not have it; the others are pushed.
inline hand_over() {
  op = NIL;
  if
  :: became_ready & 1 -> op = 0
  :: became_ready & 2 -> op = 1
  :: became_ready & 4 -> op = 2
#ifdef LONG_QUEUE
  :: became_ready & 8 -> op = 3
#endif
  :: true
  fi;
  d_step {
    became_ready = became_ready & (op == NIL -> 15 : ~(1 << op));
#ifndef SECOND_SUCCESSOR_DROPPED
    push_if_ready(0);
    push_if_ready(1);
    push_if_ready(2);
#ifdef LONG_QUEUE
    push_if_ready(3);
#endif
#endif
    became_ready = 0
  }
}

inline begin(o) {
  d_step {
    assert(state[o] == PENDING && pending[o] <= 1);
    assert(!BEFORE(0, o) || state[0] >= DONE);
    assert(!BEFORE(1, o) || state[1] >= DONE);
    assert(!BEFORE(2, o) || state[2] >= DONE);
#ifdef LONG_QUEUE
    assert(!BEFORE(3, o) || state[3] >= DONE);
#endif
    assert(kind[ACCESS(o, 0)] != WRITE || (writer[0] && readers[0] == 0));
    assert(kind[ACCESS(o, 1)] != WRITE || (writer[1] && readers[1] == 0));
    assert(kind[ACCESS(o, 0)] != READ || (!writer[0] && readers[0] > 0));
    assert(kind[ACCESS(o, 1)] != READ || (!writer[1] && readers[1] > 0));
    state[o] = RUNNING
  }
}

proctype worker() {
  byte op = NIL, chain = NIL, link = NIL, last = NIL, count, became_ready;
look:
  if
  :: d_step { ready[0] -> ready[0] = false; op = 0 }
  :: d_step { ready[1] -> ready[1] = false; op = 1 }
  :: d_step { ready[2] -> ready[2] = false; op = 2 }
#ifdef LONG_QUEUE
  :: d_step { ready[3] -> ready[3] = false; op = 3 }
#endif
  :: finished == OPS -> goto leave
  fi;
run_op:
  skip;
  begin(op);
#ifdef RELEASED_BEFORE_BODY
  release(op, 0);
  grant(0);
  state[op] = DONE;
#else
  state[op] = DONE;
  release(op, 0);
  grant(0);
#endif
  release(op, 1);
  grant(1);
  d_step { assert(state[op] == DONE); state[op] = FREED; finished++ }
  hand_over();
  if
  :: op != NIL -> goto run_op
  :: else -> goto look
  fi;
leave:
  skip
}

init {
  byte i = 0;
  atomic {
    do
    :: i < OPS * VARS ->
       if
#ifdef LONG_QUEUE
       :: i % VARS == 1 -> kind[i] = NONE
       :: i % VARS == 0 -> kind[i] = READ
       :: i % VARS == 0 -> kind[i] = WRITE
#else
       :: kind[i] = NONE
       :: kind[i] = READ
       :: kind[i] = WRITE
#endif
       fi;
       next[i] = NIL;
       i++
    :: else -> break
    od;
    head[0] = NIL; head[1] = NIL; batch[0] = NIL; batch[1] = NIL; i = 0;
    run submitter(0, 2);
    run submitter(2, OPS);
    run worker();
    run worker()
  }
}
