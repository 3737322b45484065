// wait_all: counters that are summed while others count on, and threads that sleep until nothing is pending.
//
// scenario: NESTED - one op submits another; one thread waits for it while another submits a third op
// scenario: BOTH_WAIT - two threads submit an op each and wait
//
// Every mutant breaks one step, and the search must then find what stands behind the arrow:
// mutant: NESTED SUBMITTED_SUMMED_FIRST -> assertion violated
// mutant: NESTED COUNTED_AFTER_PUSH -> invalid end state
// mutant: NESTED PARENT_ENDS_BEFORE_CHILD -> assertion violated
// mutant: NESTED WAITERS_READ_BEFORE_COUNT -> invalid end state
// mutant: NESTED LEAVES_WITHOUT_LOOK -> invalid end state
// mutant: NESTED SUMMED_BEFORE_REGISTERED -> invalid end state
// mutant: NESTED ASLEEP_AFTER_UNLOCK -> invalid end state
// mutant: BOTH_WAIT ONE_WAITER_TOLD -> invalid end state
// mutant: BOTH_WAIT FORGOTTEN_WITHOUT_LOCK -> assertion violated

#ifdef NESTED
#define OPS 3
#else
#define OPS 2
#endif
#define GROUPS 2
#define NIL 7
#define BIT(o) (1 << (o))

// Ops that were submitted and that have ended, counted apart for groups of threads.
byte submitted[GROUPS], ended[GROUPS];

bool ready[3];
byte shares;        // in op 1: its body of op 1, and op 2, which it submitted
byte begun;

// For the assertions alone.
byte all_submitted; // ops whose submission has returned
byte all_ended;

// Those that wait: a list under a mutex, and its length, which others read without the mutex.
bool locked;
bool listed[2];
byte waiters;
bool is_set[2];
bool asleep[2];
bool alive[2];      // the signal lies on the stack of the thread that waits

// ----------------------------------------------------------------------------------------------------- counting

inline push(o) {
  d_step { assert(!ready[o]); ready[o] = true }
}

inline submit(o, group) {
#ifdef COUNTED_AFTER_PUSH
  push(o);
  submitted[group]++;
#else
  submitted[group]++;
  push(o);
#endif
  all_submitted = all_submitted | BIT(o)
}

// Any moment may lie between two loads.
inline sum_ended() {
  sum = sum + ended[0];
  sum = sum + ended[1]
}

inline sum_submitted() {
  sum = sum - submitted[0];
  sum = sum - submitted[1]
}

// 0 in `sum`: nothing is pending.
inline count_pending() {
  sum = 0;
#ifdef SUBMITTED_SUMMED_FIRST
  sum_submitted();
  sum_ended()
#else
  sum_ended();
  sum_submitted()
#endif
}

inline wake(w) {
  if
  :: listed[w] -> assert(alive[w]); is_set[w] = true; asleep[w] = false
  :: else
  fi
}

// Done by those that wait and by those that end ops.
inline tell_waiters() {
  d_step { !locked -> locked = true }
  count_pending();
  if
  :: sum == 0 ->
     wake(0);
#ifdef ONE_WAITER_TOLD
     if
     :: !listed[0] -> wake(1)
     :: else
     fi
#else
     wake(1)
#endif
  :: else
  fi;
  d_step { sum = 0; locked = false }
}

// The counter was incremented by an atomic operation that is ordered with the load here.
inline look_at_waiters() {
#ifndef WAITERS_READ_BEFORE_COUNT
  has_waiters = waiters != 0;
#endif
  if
  :: has_waiters -> has_waiters = false; tell_waiters()
  :: else
  fi
}

// Only now and then an ended op looks whether somebody waits: each choice may be the one. Who ends ops owes a last look.
inline count_ended(o, group) {
  all_ended = all_ended | BIT(o);
#ifdef WAITERS_READ_BEFORE_COUNT
  has_waiters = waiters != 0;
#endif
  ended[group]++;
  owes = true;
  if
  :: look_at_waiters()
  :: true
  fi
}

// ------------------------------------------------------------------------------------------------------ running

// The body of op 1, or the op that it submitted, has ended: the last of the two ends op 1.
inline end_share(group) {
  d_step { shares--; is_last = shares == 0 }
#ifdef PARENT_ENDS_BEFORE_CHILD
  is_last = !is_last;
#endif
  if
  :: is_last -> is_last = false; assert(all_ended & BIT(2)); count_ended(1, group)
  :: else
  fi
}

// A worker, or a thread that works while it waits for something else. In NESTED, op 1 submits op 2 and ends only after it.
proctype worker(byte group) {
  short sum;
  bool has_waiters, is_last, owes;
  do
  :: d_step { ready[0] -> ready[0] = false; begun++ }
     count_ended(0, group)
#ifdef BOTH_WAIT
  :: d_step { ready[1] -> ready[1] = false; begun++ }
     count_ended(1, group)
#else
  :: d_step { ready[1] -> ready[1] = false; begun++; shares = 2 }
     submit(2, group);
     end_share(group)
  :: d_step { ready[2] -> ready[2] = false; begun++ }
     count_ended(2, group);
     end_share(group)
#endif
  :: d_step { owes -> owes = false }  // it finds no op, or leaves for another reason
     look_at_waiters()
#ifdef LEAVES_WITHOUT_LOOK
  :: begun == OPS && !ready[0] && !ready[1] && !ready[2] -> break
#else
  :: begun == OPS && !ready[0] && !ready[1] && !ready[2] && !owes -> break
#endif
  od
}

// ------------------------------------------------------------------------------------------------------ waiting

inline register() {
  d_step { !locked -> locked = true }
  d_step { listed[me] = true; waiters++ }
  locked = false
}

inline forget() {
#ifndef FORGOTTEN_WITHOUT_LOCK
  d_step { !locked -> locked = true }
  d_step { listed[me] = false; waiters-- }
  locked = false;
  alive[me] = false
#else
  alive[me] = false;
  d_step { listed[me] = false; waiters-- }
#endif
}

// A condition variable: to unlock and to fall asleep is one step; it may also wake for no reason.
inline sleep() {
  do
  :: d_step { !locked -> locked = true }
     if
     :: is_set[me] -> locked = false; break
     :: else
     fi;
#ifdef ASLEEP_AFTER_UNLOCK
     locked = false;
     asleep[me] = true;
#else
     d_step { locked = false; asleep[me] = true }
#endif
     !asleep[me]
  :: is_set[me] -> break  // a thread that works while it waits sees the signal without the mutex
  od
}

inline wait_all() {
  count_pending();
  if
  :: sum == 0
  :: else ->
     sum = 0;
     alive[me] = true;
#ifdef SUMMED_BEFORE_REGISTERED
     tell_waiters();
     register();
#else
     register();
     tell_waiters();
#endif
     sleep();
     forget()
  fi
}

// Ops that others submit meanwhile may have ended by then, or not.
proctype user(byte me) {
  short sum;
  byte mine;
  submit(me, me);
#ifdef NESTED
  if
  :: me == 0 -> goto leave
  :: else
  fi;
#endif
  mine = all_submitted;
  wait_all();
  assert((mine & ~all_ended) == 0);
#ifdef NESTED
  assert(all_ended & BIT(2));
#endif
leave:
  skip
}

init {
  atomic {
    run user(0);
    run user(1);
    run worker(0);
    run worker(1)
  }
}
