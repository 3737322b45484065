// tessera.schedule: who works when. Here: the threads of one operation, on oneTBB. It imports device.
export module tessera.schedule;

export import :parallel;
