export module tessera.collective:job;
import tessera.standard;

// What a launcher, such as mpirun, says of this process.
namespace tessera::collective {

struct LaunchedJob {
  bool is_launched = false;  // by something that makes several processes one job, or one
  bool is_one = false;       // as far as it is known
  std::string said_by;       // "OMPI_COMM_WORLD_SIZE=4"
};

/// By the variables that launchers set in the environment: those of Open MPI, of MPICH and its kin, and of PMIx, as Slurm's srun has it.
LaunchedJob launched_job();

}  // namespace tessera::collective
