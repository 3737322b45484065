export module tessera.schedule:timeline;
import tessera.standard;
import tessera.device;
import :trace_record;

// A trace as a picture: which worker and which stream of a GPU worked when.
namespace tessera {

/// How a timeline is drawn.
export struct TimelineOptions {
  std::string title = "Timeline";
  int width = 960;  ///< of the picture, in pixels; at least 480, less is taken as that
  int workers = 0;  ///< workers 0 to workers - 1 get a lane even if they ran nothing
  std::span<const device::StreamRecord> streams =
      {};  ///< the work of GPUs, whose times count from the same moment as the ops'
};

/// A self-contained SVG with a lane for each worker, and below them one for each stream: ops as boxes with their names where these fit, coloured by outcome, and for
/// each the share of the time in which an op of its had begun and not ended. Pointing at a box tells more. Ops that are
/// less than half a pixel wide are drawn together with their neighbours, in a box whose strength shows how busy that
/// stretch is. Times count from the start of what began first. The records may stand in any order.
export std::string timeline_svg(std::span<const OpRecord> records, const TimelineOptions& options = {});

}  // namespace tessera
