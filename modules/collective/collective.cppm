// tessera.collective: several processes that work together on arrays, by MPI. It imports tessera.io and the rooms above.
//
//   wire/        what moves bytes: MPI or NCCL, opened at run time, or nothing
//   reduction/   combining elements of several ranks
//   turns/       the order of a group's collectives, and who asks how far they are
//   protocols/   the steps of each collective
//   group/       groups, and their collectives on arrays
//   sharded/     arrays that are divided among the ranks of a group
export module tessera.collective;

export import :job;
export import :wire;
export import :mpi_wire;
export import :nccl;
export import :gpu_wire;
export import :reduce_op;
export import :combine;
export import :gpu_combine;
export import :progress;
export import :note;
export import :board;
export import :communicator;
export import :turn;
export import :patience;
export import :agreement;
export import :transfer;
export import :gpu_turn;
export import :protocol;
export import :pieces;
export import :operation;
export import :gpu_call;
export import :gpu_moving;
export import :gpu_reducing;
export import :moving;
export import :few;
export import :reducing;
export import :reproducible;
export import :messages;
export import :world;
export import :exchanging;
export import :group;
export import :tracing;
export import :layout;
export import :sharded;
export import :shard_map;
export import :sharded_operators;
export import :sharded_elementwise;
export import :sharded_reductions;
export import :sharded_statistics;
export import :sharded_rows;
export import :sharded_products;
