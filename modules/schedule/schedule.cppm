// tessera.schedule: who works when, and pictures of it. The threads of one operation on oneTBB, the engine that orders operations by
// what they read and write, recordings of ops that are replayed as one, and the trace of ops: as a file for trace viewers, as a
// timeline and as a graph of dependencies. It imports device.
export module tessera.schedule;

export import :access;
export import :callable_op;
export import :capture;
export import :completion;
export import :engine;
export import :executor;
export import :failure;
export import :op;
export import :op_end;
export import :op_name;
export import :op_state;
export import :parallel;
export import :parameter;
export import :ready_queue;
export import :recording;
export import :recycling;
export import :replay;
export import :scheduler;
export import :signal;
export import :spin_lock;
export import :task;
export import :timer;
export import :trace_sink;
export import :var;

export import :trace_record;
export import :trace_lanes;
export import :dependency;
export import :markup;
export import :picture;
export import :chrome_trace;
export import :timeline_bars;
export import :timeline;
export import :layer_order;
export import :graph_layout;
export import :dependency_graph;
