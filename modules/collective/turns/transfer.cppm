module;
#include <cstdint>
export module tessera.collective:transfer;
import tessera.standard;
import :wire;
import :note;
import :progress;
import :communicator;
import :turn;
import :patience;

// Exchanging what has been agreed on, and messages, which need no agreement.
namespace tessera::collective {

/// One exchange of a turn that is agreed on, in its lane, or a message, of one or two parts.
class Transfer final : public Pending {
 public:
  Transfer(const Turn& turn, const Exchange& exchange)
      : group_(turn.group()),
        note_(turn.note()),
        number_(turn.number()),
        exchange_(exchange),
        patience_(turn.group()) {}
  /// The turn must outlive it.
  Transfer(MessageTurn& turn, const Exchange& exchange, const std::optional<Exchange>& rest = {})
      : group_(turn.group()),
        note_(turn.note()),
        number_(turn.number()),
        message_(&turn),
        exchange_(exchange),
        rest_(rest),
        patience_(turn.group()) {}

  bool poll() override;

  /// Its second part is waited for only if `wanted()` is true when the first has come.
  void want_rest_if(std::function<bool()> wanted) { wants_rest_ = std::move(wanted); }

 private:
  bool go_on();
  bool is_message() const noexcept { return message_ != nullptr; }

  Communicator& group_;
  Note note_;
  std::uint64_t number_;
  MessageTurn* message_ = nullptr;
  Exchange exchange_;
  std::optional<Exchange> rest_;
  std::function<bool()> wants_rest_;
  Patience patience_;
  Wire::Request request_ = nullptr, request_of_rest_ = nullptr;
  bool has_begun_ = false;
};

}  // namespace tessera::collective
