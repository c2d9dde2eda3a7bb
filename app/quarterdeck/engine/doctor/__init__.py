"""What `quarterdeck doctor` looks at: this computer, and three promises of Quarterdeck, tried with practice agents.

Everything here is done only on a person's word (ruling 25). `findings` holds the values; each other module one kind of look.
"""
