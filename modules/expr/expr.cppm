// tessera.expr: lazy expressions over arrays. Nodes describe (leaf, scalar, map, reduction, dot), plans compute (pointers
// and strides only), the evaluator runs one fused loop per expression for the CPU at hand. It imports array.
export module tessera.expr;

// math/: elementary functions of single values, and memory to registers and back
export import :vector_bits;
export import :range_guard;
export import :vector_exponential;
export import :vector_logarithm;
export import :vector_trigonometry;
export import :vector_error_function;
export import :vector_power;
export import :box_muller;
export import :vector_math;
export import :library_math;
export import :complex_math;
export import :conversion;

// plan/: what is left of an expression when it is computed
export import :plan;
export import :temporary;
export import :blocks;
export import :strided;
export import :transpose;
export import :boxes;
export import :movable_loop;
export import :segments;
export import :workspaces;
export import :normalising;
export import :readable_expression;
export import :expression_name;
export import :lowering;

// plan/reducers/: the arithmetic of reductions
export import :folding;
export import :searching;
export import :moments;
export import :log_sum_exp;
export import :norms;
export import :reducers;
export import :combining;
export import :folded_lanes;

// cpu/: evaluation on the CPU: blocks, kernels for its instruction sets, threads
export import :walk;
export import :box_inputs;
export import :box_loop;
export import :values;
export import :row_inputs;
export import :gathering;
export import :positions;
export import :scattering;
export import :kernel;
export import :fold_loops;
export import :elementwise;
export import :pairwise_merge;

// cpu/reduce/: reductions
export import :reduction_task;
export import :folder;
export import :box_task;
export import :box_folder;
export import :reduce;

// cpu/normalise/: normalisations
export import :normalise_task;
export import :run_normalised;
export import :normalisers;
export import :normaliser_loops;

// cpu/product/kernels/: the innermost loops of matrix products, and packing for them
export import :lane_exchange;
export import :product_kernels;
export import :byte_kernels;
export import :byte_packing;

// cpu/product/: matrix products
export import :blas;
export import :blas_matrix;
export import :product_way;
export import :multiply;
export import :blocked_product;
export import :task_memory;
export import :product;
export import :symmetric_product;
export import :small_product;

// cpu/product/vectors/: products of matrices and vectors
export import :vector_product;
export import :few_vectors;
export import :few_sums;
export import :depth_parts;

// gpu/: CUDA text, and kernels made of it
export import :cublas;
export import :gpu_prelude;
export import :gpu_complex;
export import :gpu_storage;
export import :gpu_folds;
export import :gpu_variant;
export import :gpu_writer;
export import :gpu_rows;
export import :gpu_kernel;
export import :gpu_folding;
export import :gpu_normalising;
export import :gpu_form;
export import :gpu_evaluation;
export import :gpu_product;

// gpu/picking/: reading and writing by indices on a GPU
export import :picking_lists;
export import :picking_moving;
export import :picking_claiming;
export import :picking_combining;
export import :picking_gathering;

// nodes/: the nodes of expressions
export import :node;
export import :parameter_node;
export import :map;
export import :device_source;
export import :evaluate;
export import :part;
export import :reduction_node;
export import :normalise;
export import :dot_node;
export import :factor;
export import :seen;
export import :picks;
export import :picked_node;
export import :taken_node;

// functions/: operators and elementwise functions
export import :operand_concepts;
export import :weak_scalar;
export import :bits;
export import :comparisons;
export import :operators;
export import :arithmetic;
export import :exponentials;
export import :angles;
export import :rounding;
export import :classification;
export import :complex;
export import :special;
export import :functions;

// operations/: functions that see more than one element: reductions, products, joining, shifting; refusals of all functions
export import :select;
export import :user_op;
export import :joining;
export import :shifting;
export import :repeating;
export import :splitting;
export import :reduction;
export import :statistics;
export import :axis;
export import :dot;
export import :refusals;

// assign/: where an expression meets an array, at once or as an op of a scheduler
export import :direct;
export import :scopes;
export import :accesses;
export import :ordered;
export import :async;
export import :deferred;
export import :device_split;
export import :assign;
export import :picked_target;
export import :assign_parameter;
export import :evaluated;
export import :algorithm_op;
export import :comparing;
export import :device_launch;

// explain/: what an assignment would do
export import :explanation;
export import :explained_plan;
export import :operation_speed;
export import :explainer;
export import :explain;

// program/: expressions whose types are known at run time only
export import :function;
export import :kernel_tables;
export import :arithmetic_tables;
export import :comparing_tables;
export import :exponential_tables;
export import :angle_tables;
export import :special_tables;
export import :conversion_tables;
export import :dvalue;
export import :program;
export import :composer;
export import :interpreter;
export import :fusing;
export import :device_program;
export import :assign_program;
export import :reduce_program;
