"""The checks that end a compile: what is handed over was compared with what the model means."""
