// tessera.schedule: who works when, and pictures of it. The threads of one operation, the engine that orders operations by what they
// read and write, recordings of ops that are replayed as one, and the trace of ops: as a file for trace viewers, as a timeline and
// as a graph. It imports device.
export module tessera.schedule;

// op/: an op as the engine sees it
export import :spin_lock;
export import :process;
export import :recycling;
export import :failure;
export import :op_name;
export import :op_state;
export import :signal;
export import :op_end;

// engine/: Vars and ops: submission, grants, completion, waiting
export import :executor;
export import :begun_coroutines;
export import :trace_sink;
export import :var;
export import :dependency;
export import :parameter;
export import :access;
export import :thread_context;
export import :backlog;
export import :engine;
export import :live_engines;
export import :waiting;
export import :end_of_scheduler;

// executors/: who runs ready ops
export import :worker_threads;
export import :ready_queue;
export import :inline_executor;
export import :permuting_executor;
export import :pool_executor;

// ops/: ops as callables and coroutines, and what coroutines await
export import :access_list;
export import :callable_op;
export import :op;
export import :completion;
export import :timer;
export import :task;
export import :stream_wait;
export import :join;
export import :held_submissions;

// pictures/: what has run: records, graphs, timelines
export import :trace_record;
export import :markup;
export import :graph_layout;
export import :layer_order;
export import :dependency_graph;
export import :dependency_graph_svg;
export import :picture;
export import :trace_lanes;
export import :timeline;
export import :timeline_bars;
export import :chrome_trace;

// replay/: a step recorded once and replayed
export import :recording;
export import :replay;
export import :replay_failures;
export import :capture;

// scheduler/: what users call
export import :scheduler;
export import :trace;
export import :parallel;
