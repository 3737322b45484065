// tessera.schedule: who works when, and pictures of it. Here: the threads of one operation, on oneTBB, and the trace of ops: as a
// file for trace viewers, as a timeline and as a graph of dependencies. It imports device.
export module tessera.schedule;

export import :parallel;
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
