"""The function as AWS runs it: the runtime interface emulator and client as plain processes, real queues and stores."""
