<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>AfterCrash</name>
        <message numerus="yes">
            <source>{runs} were not kept as stopped. {why}</source>
            <comment>{runs} was not kept as stopped. {why}</comment>
            <translation>
                <numerusform>{runs} was not kept as stopped. {why}</numerusform>
                <numerusform>{runs} were not kept as stopped. {why}</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>AnalyticsCompareDialog</name>
        <message numerus="yes">
            <source>{n} facts differ (≠).</source>
            <comment>{n} fact differs (≠).</comment>
            <translation>
                <numerusform>{n} fact differs (≠).</numerusform>
                <numerusform>{n} facts differ (≠).</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>BottomAppLog</name>
        <message numerus="yes">
            <source>{n} lines of {path}</source>
            <comment>{n} line of {path}</comment>
            <translation>
                <numerusform>{n} line of {path}</numerusform>
                <numerusform>{n} lines of {path}</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>CanvasEdgeItem</name>
        <message numerus="yes">
            <source>again, at most {n} times</source>
            <comment>again, at most {n} time</comment>
            <translation>
                <numerusform>again, at most {n} time</numerusform>
                <numerusform>again, at most {n} times</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>CanvasPage</name>
        <message numerus="yes">
            <source>{n} more live runs</source>
            <comment>{n} more live run</comment>
            <translation>
                <numerusform>{n} more live run</numerusform>
                <numerusform>{n} more live runs</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>ChartsSpendChart</name>
        <message numerus="yes">
            <source>{n} bars</source>
            <comment>{n} bar</comment>
            <translation>
                <numerusform>{n} bar</numerusform>
                <numerusform>{n} bars</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>CrashDialog</name>
        <message numerus="yes">
            <source>Simulate a crash with {n} practice runs live?</source>
            <comment>Simulate a crash with {n} practice run live?</comment>
            <translation>
                <numerusform>Simulate a crash with {n} practice run live?</numerusform>
                <numerusform>Simulate a crash with {n} practice runs live?</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>DialogsQuitDialog</name>
        <message numerus="yes">
            <source>Waiting for {n} runs</source>
            <comment>Waiting for {n} run</comment>
            <translation>
                <numerusform>Waiting for {n} run</numerusform>
                <numerusform>Waiting for {n} runs</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} open questions</source>
            <comment>{n} open question</comment>
            <translation>
                <numerusform>{n} open question</numerusform>
                <numerusform>{n} open questions</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} paused agents</source>
            <comment>{n} paused agent</comment>
            <translation>
                <numerusform>{n} paused agent</numerusform>
                <numerusform>{n} paused agents</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} runs are live</source>
            <comment>{n} run is live</comment>
            <translation>
                <numerusform>{n} run is live</numerusform>
                <numerusform>{n} runs are live</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} runs of other Quarterdeck processes, such as a terminal, go on.</source>
            <comment>{n} run of another Quarterdeck process, such as a terminal, goes on.</comment>
            <translation>
                <numerusform>{n} run of another Quarterdeck process, such as a terminal, goes on.</numerusform>
                <numerusform>{n} runs of other Quarterdeck processes, such as a terminal, go on.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>DialogsRunDialog</name>
        <message numerus="yes">
            <source>{n} agents</source>
            <comment>{n} agent</comment>
            <translation>
                <numerusform>{n} agent</numerusform>
                <numerusform>{n} agents</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>DiscardDialog</name>
        <message numerus="yes">
            <source>Deletes transcripts and details of {n} runs.</source>
            <comment>Deletes transcripts and details of {n} run.</comment>
            <translation>
                <numerusform>Deletes transcripts and details of {n} run.</numerusform>
                <numerusform>Deletes transcripts and details of {n} runs.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Discard the records of {n} runs?</source>
            <comment>Discard the records of {n} run?</comment>
            <translation>
                <numerusform>Discard the records of {n} run?</numerusform>
                <numerusform>Discard the records of {n} runs?</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Discard {n} records</source>
            <comment>Discard {n} record</comment>
            <translation>
                <numerusform>Discard {n} record</numerusform>
                <numerusform>Discard {n} records</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>You pinned {n} of these runs. Discarding takes them all the same; brought back, they are pinned again.</source>
            <comment>You pinned {n} of these runs. Discarding takes it all the same; brought back, it is pinned again.</comment>
            <translation>
                <numerusform>You pinned {n} of these runs. Discarding takes it all the same; brought back, it is pinned again.</numerusform>
                <numerusform>You pinned {n} of these runs. Discarding takes them all the same; brought back, they are pinned again.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Doctor</name>
        <message numerus="yes">
            <source>{n} things are broken.</source>
            <comment>{n} thing is broken.</comment>
            <translation>
                <numerusform>{n} thing is broken.</numerusform>
                <numerusform>{n} things are broken.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Heard</name>
        <message numerus="yes">
            <source>{n} cents</source>
            <comment>{n} cent</comment>
            <translation>
                <numerusform>{n} cent</numerusform>
                <numerusform>{n} cents</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} days</source>
            <comment>{n} day</comment>
            <translation>
                <numerusform>{n} day</numerusform>
                <numerusform>{n} days</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} dollars</source>
            <comment>{n} dollar</comment>
            <translation>
                <numerusform>{n} dollar</numerusform>
                <numerusform>{n} dollars</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} hours</source>
            <comment>{n} hour</comment>
            <translation>
                <numerusform>{n} hour</numerusform>
                <numerusform>{n} hours</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} minutes</source>
            <comment>{n} minute</comment>
            <translation>
                <numerusform>{n} minute</numerusform>
                <numerusform>{n} minutes</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} seconds</source>
            <comment>{n} second</comment>
            <translation>
                <numerusform>{n} second</numerusform>
                <numerusform>{n} seconds</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>ImportActs</name>
        <message numerus="yes">
            <source>{n} MCP servers of {agent} stand in {name} now.</source>
            <comment>{n} MCP server of {agent} stands in {name} now.</comment>
            <translation>
                <numerusform>{n} MCP server of {agent} stands in {name} now.</numerusform>
                <numerusform>{n} MCP servers of {agent} stand in {name} now.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>KeptRecords</name>
        <message numerus="yes">
            <source>They can be brought back until {day}.</source>
            <comment>It can be brought back until {day}.</comment>
            <translation>
                <numerusform>It can be brought back until {day}.</numerusform>
                <numerusform>They can be brought back until {day}.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} runs were discarded.</source>
            <comment>{n} run was discarded.</comment>
            <translation>
                <numerusform>{n} run was discarded.</numerusform>
                <numerusform>{n} runs were discarded.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>News</name>
        <message numerus="yes">
            <source>{n} runs ended</source>
            <comment>{n} run ended</comment>
            <translation>
                <numerusform>{n} run ended</numerusform>
                <numerusform>{n} runs ended</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} runs failed</source>
            <comment>{n} run failed</comment>
            <translation>
                <numerusform>{n} run failed</numerusform>
                <numerusform>{n} runs failed</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} runs near a limit</source>
            <comment>{n} run near a limit</comment>
            <translation>
                <numerusform>{n} run near a limit</numerusform>
                <numerusform>{n} runs near a limit</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} runs need you</source>
            <comment>{n} run needs you</comment>
            <translation>
                <numerusform>{n} run needs you</numerusform>
                <numerusform>{n} runs need you</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Pages</name>
        <message numerus="yes">
            <source>{name} has {n} problems</source>
            <comment>{name} has {n} problem</comment>
            <translation>
                <numerusform>{name} has {n} problem</numerusform>
                <numerusform>{name} has {n} problems</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PaletteDialog</name>
        <message numerus="yes">
            <source>{n} entries</source>
            <comment>{n} entry</comment>
            <translation>
                <numerusform>{n} entry</numerusform>
                <numerusform>{n} entries</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Present</name>
        <message numerus="yes">
            <source>And {n} more nodes: see Agents.</source>
            <comment>And {n} more node: see Agents.</comment>
            <translation>
                <numerusform>And {n} more node: see Agents.</numerusform>
                <numerusform>And {n} more nodes: see Agents.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentActivity</name>
        <message numerus="yes">
            <source>{n} turns so far</source>
            <comment>{n} turn so far</comment>
            <translation>
                <numerusform>{n} turn so far</numerusform>
                <numerusform>{n} turns so far</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentAgent</name>
        <message numerus="yes">
            <source>{n} turns</source>
            <comment>{n} turn</comment>
            <translation>
                <numerusform>{n} turn</numerusform>
                <numerusform>{n} turns</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentBudgets</name>
        <message numerus="yes">
            <source>{n} turns</source>
            <comment>{n} turn</comment>
            <translation>
                <numerusform>{n} turn</numerusform>
                <numerusform>{n} turns</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentCards</name>
        <message numerus="yes">
            <source>{n} questions</source>
            <comment>{n} question</comment>
            <translation>
                <numerusform>{n} question</numerusform>
                <numerusform>{n} questions</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentDamage</name>
        <message numerus="yes">
            <source>at least {n} turns</source>
            <comment>at least {n} turn</comment>
            <translation>
                <numerusform>at least {n} turn</numerusform>
                <numerusform>at least {n} turns</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentDetails</name>
        <message numerus="yes">
            <source>Files page, {n} files</source>
            <comment>Files page, {n} file</comment>
            <translation>
                <numerusform>Files page, {n} file</numerusform>
                <numerusform>Files page, {n} files</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentErrors</name>
        <message numerus="yes">
            <source>Of its own, {n} saved files are kept.</source>
            <comment>Of its own, {n} saved file is kept.</comment>
            <translation>
                <numerusform>Of its own, {n} saved file is kept.</numerusform>
                <numerusform>Of its own, {n} saved files are kept.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Results of {n} other agents are kept.</source>
            <comment>The results of {n} other agent are kept.</comment>
            <translation>
                <numerusform>The results of {n} other agent are kept.</numerusform>
                <numerusform>Results of {n} other agents are kept.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{agent} failed: {program} ended well, but told an error, after {n} turns.</source>
            <comment>{agent} failed: {program} ended well, but told an error, after {n} turn.</comment>
            <translation>
                <numerusform>{agent} failed: {program} ended well, but told an error, after {n} turn.</numerusform>
                <numerusform>{agent} failed: {program} ended well, but told an error, after {n} turns.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{agent} failed: {program} told an error after {n} turns.</source>
            <comment>{agent} failed: {program} told an error after {n} turn.</comment>
            <translation>
                <numerusform>{agent} failed: {program} told an error after {n} turn.</numerusform>
                <numerusform>{agent} failed: {program} told an error after {n} turns.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{agent} stopped: the sign-in of {program} failed after {n} turns.</source>
            <comment>{agent} stopped: the sign-in of {program} failed after {n} turn.</comment>
            <translation>
                <numerusform>{agent} stopped: the sign-in of {program} failed after {n} turn.</numerusform>
                <numerusform>{agent} stopped: the sign-in of {program} failed after {n} turns.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{agent} stopped: {program} ended with exit code {code} after {n} turns.</source>
            <comment>{agent} stopped: {program} ended with exit code {code} after {n} turn.</comment>
            <translation>
                <numerusform>{agent} stopped: {program} ended with exit code {code} after {n} turn.</numerusform>
                <numerusform>{agent} stopped: {program} ended with exit code {code} after {n} turns.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{agent} stopped: {program} printed nothing for longer than its stall time-out, after {n} turns.</source>
            <comment>{agent} stopped: {program} printed nothing for longer than its stall time-out, after {n} turn.</comment>
            <translation>
                <numerusform>{agent} stopped: {program} printed nothing for longer than its stall time-out, after {n} turn.</numerusform>
                <numerusform>{agent} stopped: {program} printed nothing for longer than its stall time-out, after {n} turns.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{agent} stopped: {program} ran longer than its time limit, for {n} turns.</source>
            <comment>{agent} stopped: {program} ran longer than its time limit, for {n} turn.</comment>
            <translation>
                <numerusform>{agent} stopped: {program} ran longer than its time limit, for {n} turn.</numerusform>
                <numerusform>{agent} stopped: {program} ran longer than its time limit, for {n} turns.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{agent} stopped: {program} was ended by signal {signal} after {n} turns.</source>
            <comment>{agent} stopped: {program} was ended by signal {signal} after {n} turn.</comment>
            <translation>
                <numerusform>{agent} stopped: {program} was ended by signal {signal} after {n} turn.</numerusform>
                <numerusform>{agent} stopped: {program} was ended by signal {signal} after {n} turns.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentEvidence</name>
        <message numerus="yes">
            <source>{n} files were changed before it began.</source>
            <comment>{n} file was changed before it began.</comment>
            <translation>
                <numerusform>{n} file was changed before it began.</numerusform>
                <numerusform>{n} files were changed before it began.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentLeftovers</name>
        <message numerus="yes">
            <source>Checked: no trace of the {n} agent processes was found.</source>
            <comment>Checked: no trace of the agent process was found.</comment>
            <translation>
                <numerusform>Checked: no trace of the agent process was found.</numerusform>
                <numerusform>Checked: no trace of the {n} agent processes was found.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Checked: the {n} agent processes have ended.</source>
            <comment>Checked: the agent process has ended.</comment>
            <translation>
                <numerusform>Checked: the agent process has ended.</numerusform>
                <numerusform>Checked: the {n} agent processes have ended.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Could not check whether {n} agent processes have ended.</source>
            <comment>Could not check whether {n} agent process has ended.</comment>
            <translation>
                <numerusform>Could not check whether {n} agent process has ended.</numerusform>
                <numerusform>Could not check whether {n} agent processes have ended.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} agent processes are still ending; their agents can be resumed when they have.</source>
            <comment>{n} agent process is still ending; its agent can be resumed when it has.</comment>
            <translation>
                <numerusform>{n} agent process is still ending; its agent can be resumed when it has.</numerusform>
                <numerusform>{n} agent processes are still ending; their agents can be resumed when they have.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} agent processes outlived the app and may still be spending:</source>
            <comment>{n} agent process outlived the app and may still be spending:</comment>
            <translation>
                <numerusform>{n} agent process outlived the app and may still be spending:</numerusform>
                <numerusform>{n} agent processes outlived the app and may still be spending:</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentProcesses</name>
        <message numerus="yes">
            <source>{n} agents alive</source>
            <comment>{n} agent alive</comment>
            <translation>
                <numerusform>{n} agent alive</numerusform>
                <numerusform>{n} agents alive</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} agents alive here</source>
            <comment>{n} agent alive here</comment>
            <translation>
                <numerusform>{n} agent alive here</numerusform>
                <numerusform>{n} agents alive here</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} not proved to have ended</source>
            <comment>{n} not proved to have ended</comment>
            <translation>
                <numerusform>{n} not proved to have ended</numerusform>
                <numerusform>{n} not proved to have ended</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} processes</source>
            <comment>{n} process</comment>
            <translation>
                <numerusform>{n} process</numerusform>
                <numerusform>{n} processes</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} processes of ended runs</source>
            <comment>{n} process of an ended run</comment>
            <translation>
                <numerusform>{n} process of an ended run</numerusform>
                <numerusform>{n} processes of ended runs</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} runs in other processes</source>
            <comment>{n} run in another process</comment>
            <translation>
                <numerusform>{n} run in another process</numerusform>
                <numerusform>{n} runs in other processes</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentRecovery</name>
        <message numerus="yes">
            <source>Quarterdeck closed while {n} runs were live</source>
            <comment>Quarterdeck closed while {n} run was live</comment>
            <translation>
                <numerusform>Quarterdeck closed while {n} run was live</numerusform>
                <numerusform>Quarterdeck closed while {n} runs were live</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>agents interrupted</source>
            <comment>agent interrupted</comment>
            <translation>
                <numerusform>agent interrupted</numerusform>
                <numerusform>agents interrupted</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>turns kept</source>
            <comment>turn kept</comment>
            <translation>
                <numerusform>turn kept</numerusform>
                <numerusform>turns kept</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} turns</source>
            <comment>{n} turn</comment>
            <translation>
                <numerusform>{n} turn</numerusform>
                <numerusform>{n} turns</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{runs} are not kept any more: they were discarded elsewhere. Discarded runs shows what can be brought back.</source>
            <comment>{runs} is not kept any more: it was discarded elsewhere. Discarded runs shows what can be brought back.</comment>
            <translation>
                <numerusform>{runs} is not kept any more: it was discarded elsewhere. Discarded runs shows what can be brought back.</numerusform>
                <numerusform>{runs} are not kept any more: they were discarded elsewhere. Discarded runs shows what can be brought back.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentRest</name>
        <message numerus="yes">
            <source>{n} more agents: {told}</source>
            <comment>{n} more agent: {told}</comment>
            <translation>
                <numerusform>{n} more agent: {told}</numerusform>
                <numerusform>{n} more agents: {told}</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentSignIns</name>
        <message numerus="yes">
            <source>{n} agents wait.</source>
            <comment>{n} agent waits.</comment>
            <translation>
                <numerusform>{n} agent waits.</numerusform>
                <numerusform>{n} agents wait.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} agents were not started because of it.</source>
            <comment>{n} agent was not started because of it.</comment>
            <translation>
                <numerusform>{n} agent was not started because of it.</numerusform>
                <numerusform>{n} agents were not started because of it.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} sign-ins fail, the first of them for {agent} at {time}.</source>
            <comment>{n} sign-in fails, for {agent} at {time}.</comment>
            <translation>
                <numerusform>{n} sign-in fails, for {agent} at {time}.</numerusform>
                <numerusform>{n} sign-ins fail, the first of them for {agent} at {time}.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentSpend</name>
        <message numerus="yes">
            <source>{n} places of the ledger cannot be read: sums are at least what is shown.</source>
            <comment>{n} place of the ledger cannot be read: sums are at least what is shown.</comment>
            <translation>
                <numerusform>{n} place of the ledger cannot be read: sums are at least what is shown.</numerusform>
                <numerusform>{n} places of the ledger cannot be read: sums are at least what is shown.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PresentTimeline</name>
        <message numerus="yes">
            <source>{n} agents</source>
            <comment>{n} agent</comment>
            <translation>
                <numerusform>{n} agent</numerusform>
                <numerusform>{n} agents</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} attempts</source>
            <comment>{n} attempt</comment>
            <translation>
                <numerusform>{n} attempt</numerusform>
                <numerusform>{n} attempts</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} turns</source>
            <comment>{n} turn</comment>
            <translation>
                <numerusform>{n} turn</numerusform>
                <numerusform>{n} turns</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Rail</name>
        <message numerus="yes">
            <source>{n} questions open</source>
            <comment>{n} question open</comment>
            <translation>
                <numerusform>{n} question open</numerusform>
                <numerusform>{n} questions open</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>RunsDock</name>
        <message numerus="yes">
            <source>{n} interrupted runs, not answered</source>
            <comment>{n} interrupted run, not answered</comment>
            <translation>
                <numerusform>{n} interrupted run, not answered</numerusform>
                <numerusform>{n} interrupted runs, not answered</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>RunsFilter</name>
        <message numerus="yes">
            <source>Kept on this computer only: {n} runs</source>
            <comment>Kept on this computer only: {n} run</comment>
            <translation>
                <numerusform>Kept on this computer only: {n} run</numerusform>
                <numerusform>Kept on this computer only: {n} runs</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{shown} of {n} runs</source>
            <comment>{shown} of {n} run</comment>
            <translation>
                <numerusform>{shown} of {n} run</numerusform>
                <numerusform>{shown} of {n} runs</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>SpendExport</name>
        <message numerus="yes">
            <source>{n} attempts</source>
            <comment>{n} attempt</comment>
            <translation>
                <numerusform>{n} attempt</numerusform>
                <numerusform>{n} attempts</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>TopBar</name>
        <message numerus="yes">
            <source>{n} need you</source>
            <comment>{n} needs you</comment>
            <translation>
                <numerusform>{n} needs you</numerusform>
                <numerusform>{n} need you</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} problems</source>
            <comment>{n} problem</comment>
            <translation>
                <numerusform>{n} problem</numerusform>
                <numerusform>{n} problems</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} questions for you</source>
            <comment>{n} question for you</comment>
            <translation>
                <numerusform>{n} question for you</numerusform>
                <numerusform>{n} questions for you</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} warnings</source>
            <comment>{n} warning</comment>
            <translation>
                <numerusform>{n} warning</numerusform>
                <numerusform>{n} warnings</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Transcript</name>
        <message numerus="yes">
            <source>Copied {part}, {n} blocks</source>
            <comment>Copied {part}, {n} block</comment>
            <translation>
                <numerusform>Copied {part}, {n} block</numerusform>
                <numerusform>Copied {part}, {n} blocks</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Tray</name>
        <message numerus="yes">
            <source>{n} questions</source>
            <comment>{n} question</comment>
            <translation>
                <numerusform>{n} question</numerusform>
                <numerusform>{n} questions</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>UnreadableCard</name>
        <message numerus="yes">
            <source>{n} records could be read in part only</source>
            <comment>{n} record could be read in part only</comment>
            <translation>
                <numerusform>{n} record could be read in part only</numerusform>
                <numerusform>{n} records could be read in part only</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>{n} records could not be read</source>
            <comment>{n} record could not be read</comment>
            <translation>
                <numerusform>{n} record could not be read</numerusform>
                <numerusform>{n} records could not be read</numerusform>
            </translation>
        </message>
    </context>
</TS>
