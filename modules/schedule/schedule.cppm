// tessera.schedule: who works when. The threads of one operation, and the engine that orders operations by what they read and
// write. It imports device.
export module tessera.schedule;

export import :access;
export import :callable_op;
export import :completion;
export import :engine;
export import :executor;
export import :failure;
export import :op;
export import :op_end;
export import :op_name;
export import :op_state;
export import :parallel;
export import :process;
export import :ready_queue;
export import :recycling;
export import :scheduler;
export import :signal;
export import :spin_lock;
export import :task;
export import :timer;
export import :trace_sink;
export import :var;
export import :worker_threads;
