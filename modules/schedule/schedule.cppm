// tessera.schedule: who works when, and pictures of it. The threads of one operation, the engine that orders operations by what they
// read and write, recordings of ops that are replayed as one, and the trace of ops: as a file for trace viewers, as a timeline and
// as a graph. It imports device.
export module tessera.schedule;

export import :access;
export import :begun_coroutines;
export import :callable_op;
export import :capture;
export import :chrome_trace;
export import :completion;
export import :dependency;
export import :dependency_graph;
export import :engine;
export import :executor;
export import :failure;
export import :graph_layout;
export import :join;
export import :layer_order;
export import :markup;
export import :op;
export import :op_end;
export import :op_name;
export import :op_state;
export import :parallel;
export import :parameter;
export import :picture;
export import :process;
export import :ready_queue;
export import :recording;
export import :recycling;
export import :replay;
export import :scheduler;
export import :signal;
export import :spin_lock;
export import :stream_wait;
export import :task;
export import :timeline;
export import :timeline_bars;
export import :timer;
export import :trace;
export import :trace_lanes;
export import :trace_record;
export import :trace_sink;
export import :var;
export import :worker_threads;
