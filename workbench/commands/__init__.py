"""The commands, one self-registering file a group."""
