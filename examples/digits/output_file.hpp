// Files that are written whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace digits {

/// Replaces `target` by a file with this content: written beside it, flushed, checked, renamed. Links are followed;
/// devices and pipes are written directly. Throws OutputError; then `target` is as it was and nothing is left over.
void write_file(const std::filesystem::path& target, std::string_view content);

/// Throws OutputError if write_file could not even begin: asked before the work whose result is to be written.
void require_writable(const std::filesystem::path& target);

/// The same for a file that others write, who replace files and cannot write to devices and pipes.
void require_replaceable(const std::filesystem::path& target);

}  // namespace digits
