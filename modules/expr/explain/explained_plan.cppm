export module tessera.expr:explained_plan;
import tessera.standard;
import :explanation;

// How an explained stage walks memory, and what an element costs, as text.
namespace tessera::plan {

/// The sections "Plan" and "Cost" of a stage.
std::string plan_text(const ExplainedStage& stage);
std::string cost_text(const ExplainedStage& stage);

}  // namespace tessera::plan
