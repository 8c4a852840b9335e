/** Preloaded into the service: stops it when the demo, its parent process, has exited. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// An open channel would keep the service from exiting by itself.
process.channel?.unref();
