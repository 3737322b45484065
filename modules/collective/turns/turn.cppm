module;
#include <cstdint>
export module tessera.collective:turn;
import tessera.standard;
import :wire;
import :note;
import :communicator;

// Places in the orders of a group, which are taken when a collective is called, or a message.
namespace tessera::collective {

/// A place in the order of a group's collectives. One that is given up before all have agreed on what to do is the group's failure: the others wait for it.
class Turn {
 public:
  Turn(std::shared_ptr<Communicator> group, const Note& note)
      : group_(std::move(group)), note_(note), number_(group_->take_turn()) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

  inline Communicator& group() const noexcept { return *group_; }
  inline const Note& note() const noexcept { return note_; }
  inline std::uint64_t number() const noexcept { return number_; }
  inline int lane() const noexcept { return static_cast<int>(number_ % lane_count); }

  /// The thread that has called it waits for it, so that what comes before it may wait for that thread: it does not wait longer for its turn than for others.
  inline void block() noexcept { is_blocking_ = true; }

 private:
  friend class Agreement;

  std::shared_ptr<Communicator> group_;
  Note note_;
  std::uint64_t number_;
  bool is_agreed_ = false, has_lane_ = false, is_blocking_ = false;
};

/// A place in the order in which a rank begins messages. One that is given up before it has begun is the group's failure, as a Turn is.
class MessageTurn {
 public:
  MessageTurn(std::shared_ptr<Communicator> group, const Note& note)
      : group_(std::move(group)), note_(note), number_(group_->take_message()) {}
  MessageTurn(const MessageTurn&) = delete;
  MessageTurn& operator=(const MessageTurn&) = delete;
  ~MessageTurn();

  inline Communicator& group() const noexcept { return *group_; }
  inline const Note& note() const noexcept { return note_; }
  inline std::uint64_t number() const noexcept { return number_; }
  inline void block() noexcept { is_blocking_ = true; }

 private:
  friend class Transfer;

  std::shared_ptr<Communicator> group_;
  Note note_;
  std::uint64_t number_;
  bool has_begun_ = false, is_blocking_ = false;
};

}  // namespace tessera::collective
