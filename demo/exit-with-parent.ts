/** Loaded into the service before it starts: when whoever started it is gone, it stops in order. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// Listening alone would keep it from ever ending by itself.
process.channel?.unref();
