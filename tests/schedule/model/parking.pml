// The pool's workers: pushing ready ops, waking workers, searching, leaving, stopping, and a thread that waits and works meanwhile.
//
// Each scenario is searched by itself, so that what it does not need costs no states:
// scenario: SUBMITTED - two threads submit independent ops
// scenario: CHAINED - the end of one op makes two others ready: one is handed over, the other goes to the worker's own queue, from
//                    which others may steal it
// scenario: WAITED - a thread waits for the end of all ops and works meanwhile, in the place of a worker if there is no other
// scenario: STOPPED - the pool is stopped and started again in the midst of things
//
// Every mutant breaks one step, and the search must then find what stands behind the arrow:
// mutant: SUBMITTED LEAVES_WITHOUT_LAST_LOOK -> invalid end state
// mutant: SUBMITTED LOOKS_BEFORE_IT_LEAVES -> invalid end state
// mutant: SUBMITTED LAST_LOOK_WITHOUT_LOCK -> invalid end state
// mutant: SUBMITTED PUSH_LOOKS_BEFORE_IT_LOCKS -> invalid end state
// mutant: SUBMITTED FOUND_WAKES_NOBODY -> invalid end state
// mutant: SUBMITTED FOUND_LOOKS_BEFORE_IT_COUNTS -> invalid end state
// mutant: SUBMITTED FOUND_LOOKS_WITHOUT_LOCK -> invalid end state
// mutant: SUBMITTED ACTIVATED_IN_TWO_STEPS -> assertion violated
// mutant: WAITED SLOT_FREED_TOO_LATE -> assertion violated
// mutant: WAITED HELPER_WAKES_NOBODY -> invalid end state
// mutant: WAITED GIVES_AND_LEAVES -> invalid end state
// mutant: WAITED GIVES_TO_NOBODY -> invalid end state
// mutant: WAITED FORGETS_WHAT_IT_ASKED_FOR -> invalid end state
// mutant: STOPPED START_LOOKS_WITHOUT_LOCK -> invalid end state

#define OPS 3
#define LIMIT 2
#define NIL 7
#define BIT(o) (1 << (o))

// Queues: 0 is of those that submit, 1 and up are of the slots of the workers.
#ifdef CHAINED
#define QUEUES (LIMIT + 1)
#else
#define QUEUES 1  // no op is made ready by a worker
#endif
bool locked[QUEUES];
byte items[QUEUES];  // the set of ops in it; any of them may be popped, as if each order and priority were possible

byte working, searching;  // active workers, and of these the ones without an op: one atomic word
bool taken[LIMIT];  // slots
bool stopped;
bool halted;        // stop() has returned: no op may begin until start()
byte offers[LIMIT]; // tasks that oneTBB has been given and has not begun: each slot has a thread of its own

#define NOBODY 0
#define ASKED 1
#define GIVEN(s) ((s) + 2)
byte place;  // a thread that waits asks for the place of a worker, which gives its slot


bool started[OPS];
byte ended;
bool signal;        // all ops have ended

// What the ops are like. Two ops may meet: each ends only after the other began, which shows that the two run on two workers.
byte meets[OPS];

// ---------------------------------------------------------------------------------------------------------- waking

#define IDLE (working < LIMIT && searching == 0)

inline claim_slot(s) {
  d_step {
    assert(!taken[0] || !taken[1]);
    s = (taken[0] -> 1 : 0);
    taken[s] = true
  }
}

// One compare-and-swap of both numbers; then a slot, whose thread is called.
inline activate() {
#ifdef ACTIVATED_IN_TWO_STEPS
  if
  :: IDLE -> d_step { working++; searching++; called = true; assert(working <= LIMIT) }
  :: else
  fi;
#else
  d_step {
    if
    :: IDLE -> working++; searching++; called = true; assert(working <= LIMIT)
    :: else
    fi
  }
#endif
  if
  :: called -> claim_slot(other); d_step { offers[other]++; other = 0; called = false }
  :: else
  fi
}

inline wake_one() {
#ifdef STOPPED
  if
  :: !stopped -> activate()
  :: else
  fi
#else
  activate()
#endif
}

// A processor makes stores visible late: the append and the unlocking may come after the loads that follow them in the program.
inline append_and_unlock(o, q) {
  d_step { items[q] = items[q] | BIT(o); locked[q] = false; visible = true }
}

inline maybe_visible(o, q) {
  if
  :: !visible -> append_and_unlock(o, q)
  :: true
  fi
}

inline push(o, q) {
#ifdef PUSH_LOOKS_BEFORE_IT_LOCKS
  wakes = IDLE;
#endif
  d_step { !locked[q] -> locked[q] = true }
  maybe_visible(o, q);
#ifndef PUSH_LOOKS_BEFORE_IT_LOCKS
  wakes = IDLE;
#endif
#ifdef STOPPED
  maybe_visible(o, q);
  wakes = wakes && !stopped;
#endif
  if
  :: !visible -> append_and_unlock(o, q)
  :: else
  fi;
  visible = false;
  if
  :: wakes -> wakes = false; activate()
  :: else
  fi
}

// --------------------------------------------------------------------------------------------------------- looking

inline look_without_lock(q) {
  sees = sees || items[q] != 0
}

inline look_under_lock(q) {
  d_step { !locked[q] -> sees = sees || items[q] != 0 }
}

inline hint_at_ready() {
  look_without_lock(0);
#ifdef CHAINED
  look_without_lock(1);
  look_without_lock(2)
#endif
}

inline look_for_ready() {
  look_under_lock(0);
#ifdef CHAINED
  look_under_lock(1);
  look_under_lock(2)
#endif
}

#ifdef CHAINED
#define SOME_ITEMS (items[0] || items[1] || items[2])
#else
#define SOME_ITEMS (items[0] != 0)
#endif

// The whole critical section is one step; an empty queue is passed by without its lock.
inline pop(q) {
  if
  :: op != NIL || items[q] == 0
  :: d_step { op == NIL && !locked[q] && (items[q] & BIT(0)) -> op = 0; items[q] = items[q] & ~BIT(0) }
  :: d_step { op == NIL && !locked[q] && (items[q] & BIT(1)) -> op = 1; items[q] = items[q] & ~BIT(1) }
  :: d_step { op == NIL && !locked[q] && (items[q] & BIT(2)) -> op = 2; items[q] = items[q] & ~BIT(2) }
  fi
}

// --------------------------------------------------------------------------------------------------------- running

// A worker that has found an op wakes the next one, since pushers leave that to whoever searches.
inline found() {
#ifdef FOUND_LOOKS_BEFORE_IT_COUNTS
  look_for_ready();
#endif
  d_step { assert(searching > 0); wakes = searching == 1 && working < LIMIT; searching--; is_searching = false }
#ifndef FOUND_WAKES_NOBODY
  if
  :: wakes ->
#if defined(FOUND_LOOKS_WITHOUT_LOCK)
     hint_at_ready();
#elif !defined(FOUND_LOOKS_BEFORE_IT_COUNTS)
     look_for_ready();
#endif
     if
     :: sees -> wake_one()
     :: else
     fi
  :: else
  fi;
#endif
  d_step { wakes = false; sees = false }
}

inline run_op() {
  d_step { assert(!started[op] && !halted); started[op] = true }
  (meets[op] == NIL || started[meets[op]]);
  d_step { ended++; signal = ended == OPS }
#ifdef CHAINED
  if
  :: op == 0 -> op = 1; push(2, slot + 1)
  :: else -> op = NIL
  fi
#else
  op = NIL
#endif
}

// The caller is counted as active and searching, before and after. `helps`: until the signal is set; the others until they are asked for their
// place.
inline run_ops(helps) {
  is_searching = true;
  do
  :: helps && signal -> break
  :: !helps && place == ASKED -> break
  :: else ->
     if
     :: stopped
     :: !stopped ->
#ifdef CHAINED
        pop(slot + 1);
        pop(2 - slot);
#endif
        pop(0)
     fi;
     if
     :: op != NIL ->
        if
        :: is_searching -> found()
        :: else
        fi;
        do
        :: op != NIL -> run_op()
        :: else -> break
        od
     :: else ->
        d_step { searching = searching + !is_searching; is_searching = true }
        if
        :: SOME_ITEMS  // tries again
        :: break       // any number of looks may have been in vain
        fi
     fi
  od;
  skip;  // a jump may not end at a d_step
  d_step { searching = searching + !is_searching; is_searching = false }
}

inline leave() {
#ifdef LOOKS_BEFORE_IT_LEAVES
  look_for_ready();
#endif
#ifdef SLOT_FREED_TOO_LATE
  d_step { working--; searching-- }
  d_step { taken[slot] = false; slot = 0 }
#else
  d_step { taken[slot] = false; slot = 0 }
  d_step { working--; searching-- }
#endif
#if defined(LEAVES_WITHOUT_LAST_LOOK)
  sees = false;
#elif defined(LAST_LOOK_WITHOUT_LOCK)
  hint_at_ready();
#elif !defined(LOOKS_BEFORE_IT_LEAVES)
  look_for_ready();
#endif
#ifdef STOPPED
  sees = sees && !stopped
#endif
}

// A thread of oneTBB's arena for one slot.
proctype thread(byte number) {
  byte op = NIL, slot, other;
  bool is_searching, sees, visible, wakes, called, gave;
end:
  do
  :: d_step { offers[number] > 0 -> offers[number]--; slot = number }
     run_ops(false);
     d_step {
       if
#ifdef GIVES_TO_NOBODY
       :: place == ASKED || place == NOBODY -> place = GIVEN(slot); gave = true
#else
       :: place == ASKED -> place = GIVEN(slot); gave = true
#endif
       :: else
       fi
     }
#ifdef GIVES_AND_LEAVES
     gave = false;
#endif
     if
     :: gave -> d_step { gave = false; slot = 0 }
     :: else ->
        leave();
        if
        :: sees -> sees = false; wake_one()
        :: else
        fi
     fi
  od
}

// A thread that waits for the signal works meanwhile, as one more worker or in the place of one.
proctype waiter() {
  byte op = NIL, slot, other;
  bool is_searching, sees, visible, wakes, called, works;
  if
  :: d_step { working < LIMIT -> working++; searching++ }
     claim_slot(slot);
     works = true
  :: d_step { working == LIMIT -> place = ASKED }
     if
     :: place != ASKED
     :: true  // it has waited long enough
     fi;
#ifdef FORGETS_WHAT_IT_ASKED_FOR
     place = NOBODY;
#else
     d_step {
       if
       :: place == ASKED
       :: else -> slot = place - 2; works = true
       fi;
       place = NOBODY
     }
#endif
  fi;
  if
  :: works ->
     run_ops(true);
     leave();
#ifndef HELPER_WAKES_NOBODY
     if
     :: sees -> sees = false; wake_one()
     :: else
     fi
#endif
  :: else
  fi;
  signal;
  assert(ended == OPS)
}

proctype submitter(byte first, upto) {
  byte op = first, other;
  bool visible, wakes, called;
  do
  :: op < upto -> push(op, 0); op++
  :: else -> break
  od
}

// Stops the pool in the midst of things and starts it again.
proctype stopper() {
  bool sees, called;
  byte i, other;
  stopped = true;
  d_step { working == 0 -> halted = true }
  d_step { stopped = false; halted = false }
  do
  :: i < LIMIT ->
#ifdef START_LOOKS_WITHOUT_LOCK
     hint_at_ready();
#else
     look_for_ready();
#endif
     if
     :: sees -> sees = false; wake_one()
     :: else
     fi;
     i++
  :: else -> break
  od
}

inline meet(a, b) {
  meets[a] = b; meets[b] = a
}

init {
  atomic {
    meets[0] = NIL; meets[1] = NIL; meets[2] = NIL;
#ifdef SUBMITTED
    run submitter(0, 2);
    run submitter(2, 3);
    if
    :: meet(0, 1)
    :: meet(0, 2)
    :: true
    fi;
#endif
#ifdef CHAINED
    run submitter(0, 1);
    meet(1, 2);
    run waiter();
#endif
#ifdef WAITED
    run submitter(0, 3);
    if
    :: meet(0, 1)
    :: meet(0, 2)
    :: true
    fi;
    run waiter();
#endif
#ifdef STOPPED
    run submitter(0, 3);
    run stopper();
#endif
    run thread(0);
    run thread(1)
  }
  signal;
  assert(ended == OPS)
}
