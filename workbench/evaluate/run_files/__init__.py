"""Files with other systems' rankings, and with judgements: one self-registering file a format."""
