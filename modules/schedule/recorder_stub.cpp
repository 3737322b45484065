module tessera.schedule;
namespace tessera { void record_submission(Recorder&, OpState&) {} }
