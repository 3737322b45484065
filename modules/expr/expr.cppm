// tessera.expr: lazy expressions over arrays. Nodes describe (leaf, scalar, map, reduction, dot), plans compute (pointers
// and strides only), the evaluator runs one fused loop per expression for the CPU at hand. It imports array.
export module tessera.expr;

export import :plan;
export import :blocks;
export import :workspaces;
export import :reducers;
export import :cascade;
export import :reduction_task;
export import :lowering;
export import :node;
export import :vector_math;
export import :library_math;
export import :blas;
export import :movable_loop;
export import :product;
export import :small_product;
export import :kernel;
export import :evaluate;
export import :map;
export import :operators;
export import :functions;
export import :arithmetic;
export import :select;
export import :user_op;
export import :part;
export import :runs;
export import :joining;
export import :shifting;
export import :repeating;
export import :reduction;
export import :statistics;
export import :factor;
export import :dot;
export import :assign;
export import :comparing;
