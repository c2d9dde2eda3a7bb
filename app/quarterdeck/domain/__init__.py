"""Pure rules of Quarterdeck: no clock, no randomness, no input or output, standard library only.

Here live the words of the field as types (workflow, revision, run, slot, attempt, lease, effect), the state
machine as data, the folds of journal and reports, and the projection that every view reads. Whatever varies
(time, ids, chance) comes in as an argument. Nothing here may import another room.
"""
