<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>CompareSummaryText</name>
    <message numerus="yes">
        <source>Both answered the same %n question(s) (contexts: %1). Differences are paired question by question; the 95 % intervals draw contexts.</source>
        <translation>
            <numerusform>Both answered the same %n question (contexts: %1). Differences are paired question by question; the 95 % intervals draw contexts.</numerusform>
            <numerusform>Both answered the same %n questions (contexts: %1). Differences are paired question by question; the 95 % intervals draw contexts.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Both answered %n question(s) that are the same (contexts: %1), of %2 and %3 answers. These are paired; the 95 % intervals draw contexts.</source>
        <translation>
            <numerusform>Both answered %n question that is the same (contexts: %1), of %2 and %3 answers. It is paired; the 95 % intervals draw contexts.</numerusform>
            <numerusform>Both answered %n questions that are the same (contexts: %1), of %2 and %3 answers. These are paired; the 95 % intervals draw contexts.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DecisionHeadline</name>
    <message numerus="yes">
        <source>%1 it would gain %2 s of utility, but displace %3 and %n other context(s), which costs %4 s</source>
        <translation>
            <numerusform>%1 it would gain %2 s of utility, but displace %3 and %n other context, which costs %4 s</numerusform>
            <numerusform>%1 it would gain %2 s of utility, but displace %3 and %n other contexts, which costs %4 s</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FrontierLevelsText</name>
    <message numerus="yes">
        <source>Reuse without compression; mean over %n profiled context(s)</source>
        <translation>
            <numerusform>Reuse without compression; mean over %n profiled context</numerusform>
            <numerusform>Reuse without compression; mean over %n profiled contexts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FrontierTipsText</name>
    <message numerus="yes">
        <source>%1, what-if: simulated on %n request(s) of this run</source>
        <translation>
            <numerusform>%1, what-if: simulated on %n request of this run</numerusform>
            <numerusform>%1, what-if: simulated on %n requests of this run</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, simulated in the steady state over %n request(s)</source>
        <translation>
            <numerusform>%1, simulated in the steady state over %n request</numerusform>
            <numerusform>%1, simulated in the steady state over %n requests</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s)</source>
        <translation>
            <numerusform>%n request</numerusform>
            <numerusform>%n requests</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n context(s)</source>
        <translation>
            <numerusform>%n context</numerusform>
            <numerusform>%n contexts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) in a transient included</source>
        <translation>
            <numerusform>%n request in a transient included</numerusform>
            <numerusform>%n requests in a transient included</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) in a transient left out</source>
        <translation>
            <numerusform>%n request in a transient left out</numerusform>
            <numerusform>%n requests in a transient left out</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LessonFactsText</name>
    <message numerus="yes">
        <source>up to %n dead slot(s) in the newest samples</source>
        <translation>
            <numerusform>up to %n dead slot in the newest samples</numerusform>
            <numerusform>up to %n dead slots in the newest samples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n compaction pass(es): %1 blocks freed, %2 KV entries moved, %3 in all (measured)</source>
        <translation>
            <numerusform>%n compaction pass: %1 blocks freed, %2 KV entries moved, %3 in all (measured)</numerusform>
            <numerusform>%n compaction passes: %1 blocks freed, %2 KV entries moved, %3 in all (measured)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ProfilingOutlook</name>
    <message numerus="yes">
        <source>%1 of %n context(s) profiled</source>
        <translation>
            <numerusform>%1 of %n context profiled</numerusform>
            <numerusform>%1 of %n contexts profiled</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunMovesText</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WordsText</name>
    <message numerus="yes">
        <source>%1: budget %n token(s) per head</source>
        <translation>
            <numerusform>%1: budget %n token per head</numerusform>
            <numerusform>%1: budget %n tokens per head</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n compaction pass(es)</source>
        <translation>
            <numerusform>%n compaction pass</numerusform>
            <numerusform>%n compaction passes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n token(s) recomputed from layer inputs in %1 (our extension)</source>
        <translation>
            <numerusform>%n token recomputed from layer inputs in %1 (our extension)</numerusform>
            <numerusform>%n tokens recomputed from layer inputs in %1 (our extension)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::Banner</name>
    <message numerus="yes">
        <source>Dismiss and show the next message (%n more)</source>
        <translation>
            <numerusform>Dismiss and show the next message (%n more)</numerusform>
            <numerusform>Dismiss and show the next message (%n more)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::CdfChart</name>
    <message numerus="yes">
        <source>%1: %n context(s), median drop %2, coefficient of variation %3</source>
        <translation>
            <numerusform>%1: %n context, median drop %2, coefficient of variation %3</numerusform>
            <numerusform>%1: %n contexts, median drop %2, coefficient of variation %3</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ChartsExport</name>
    <message numerus="yes">
        <source>Export canceled; %1 of %n file(s) saved in %2</source>
        <translation>
            <numerusform>Export canceled; %1 of %n file saved in %2</numerusform>
            <numerusform>Export canceled; %1 of %n files saved in %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1; skipped %n without data</source>
        <translation>
            <numerusform>%1; skipped %n without data</numerusform>
            <numerusform>%1; skipped %n without data</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ComparePage</name>
    <message numerus="yes">
        <source>Settings changed during these runs. Shows one column for each period with constant settings: %n column(s).</source>
        <translation>
            <numerusform>Settings changed during these runs. Shows one column for each period with constant settings: %n column.</numerusform>
            <numerusform>Settings changed during these runs. Shows one column for each period with constant settings: %n columns.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::CounterfactualModel</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::DecodeControls</name>
    <message numerus="yes">
        <source>%1, budget %n token(s)</source>
        <translation>
            <numerusform>%1, budget %n token</numerusform>
            <numerusform>%1, budget %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::DropTarget</name>
    <message numerus="yes">
        <source>%n item(s) dropped, but only one can be opened. Drop a folder that contains them.</source>
        <translation>
            <numerusform>%n item dropped, but only one can be opened. Drop a folder that contains them.</numerusform>
            <numerusform>%n items dropped, but only one can be opened. Drop a folder that contains them.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::EventsModel</name>
    <message numerus="yes">
        <source>run %1: %2 after %n request(s)</source>
        <translation>
            <numerusform>run %1: %2 after %n request</numerusform>
            <numerusform>run %1: %2 after %n requests</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: profile read from the store, %n point(s)</source>
        <translation>
            <numerusform>%1: profile read from the store, %n point</numerusform>
            <numerusform>%1: profile read from the store, %n points</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 re-profiled: %n point(s) in %2</source>
        <translation>
            <numerusform>%1 re-profiled: %n point in %2</numerusform>
            <numerusform>%1 re-profiled: %n points in %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 profiled: %n point(s) in %2</source>
        <translation>
            <numerusform>%1 profiled: %n point in %2</numerusform>
            <numerusform>%1 profiled: %n points in %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 planned %n action(s) in %2: predicted quality %3, TTFT %4</source>
        <translation>
            <numerusform>%1 planned %n action in %2: predicted quality %3, TTFT %4</numerusform>
            <numerusform>%1 planned %n actions in %2: predicted quality %3, TTFT %4</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 fitted from %n load(s): %2, latency %3 (throttled)</source>
        <translation>
            <numerusform>%1 fitted from %n load: %2, latency %3 (throttled)</numerusform>
            <numerusform>%1 fitted from %n loads: %2, latency %3 (throttled)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 fitted from %n load(s): %2, latency %3</source>
        <translation>
            <numerusform>%1 fitted from %n load: %2, latency %3</numerusform>
            <numerusform>%1 fitted from %n loads: %2, latency %3</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 drifted: quality %2 over its last %3 answers, profiled %4; to be re-profiled on %n question(s)</source>
        <translation>
            <numerusform>%1 drifted: quality %2 over its last %3 answers, profiled %4; to be re-profiled on %n question</numerusform>
            <numerusform>%1 drifted: quality %2 over its last %3 answers, profiled %4; to be re-profiled on %n questions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>busy for %1, of which %2 re-profiling; up to %n request(s) in flight</source>
        <translation>
            <numerusform>busy for %1, of which %2 re-profiling; up to %n request in flight</numerusform>
            <numerusform>busy for %1, of which %2 re-profiling; up to %n requests in flight</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>request %1 on %2 compacted: %n block(s) freed, %3 KV entries moved in %4</source>
        <translation>
            <numerusform>request %1 on %2 compacted: %n block freed, %3 KV entries moved in %4</numerusform>
            <numerusform>request %1 on %2 compacted: %n blocks freed, %3 KV entries moved in %4</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ExperimentFormModel</name>
    <message numerus="yes">
        <source>%n cell(s)</source>
        <translation>
            <numerusform>%n cell</numerusform>
            <numerusform>%n cells</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, about %2 (from %n measured cell(s))</source>
        <translation>
            <numerusform>%1, about %2 (from %n measured cell)</numerusform>
            <numerusform>%1, about %2 (from %n measured cells)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ExperimentResults</name>
    <message numerus="yes">
        <source>%1 of %n cell(s) served. *: on the frontier of its budget and rate.</source>
        <translation>
            <numerusform>%1 of %n cell served. *: on the frontier of its budget and rate.</numerusform>
            <numerusform>%1 of %n cells served. *: on the frontier of its budget and rate.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Served on %n machine(s), whose times are not comparable.</source>
        <translation>
            <numerusform>Served on %n machine, whose times are not comparable.</numerusform>
            <numerusform>Served on %n machines, whose times are not comparable.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ExperimentsModel</name>
    <message numerus="yes">
        <source>%1 of %n cell(s)</source>
        <translation>
            <numerusform>%1 of %n cell</numerusform>
            <numerusform>%1 of %n cells</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ExplainModel</name>
    <message numerus="yes">
        <source>%1 of %n context(s) change placement: mean quality %2 → %3, mean TTFT %4 → %5</source>
        <translation>
            <numerusform>%1 of %n context change placement: mean quality %2 → %3, mean TTFT %4 → %5</numerusform>
            <numerusform>%1 of %n contexts change placement: mean quality %2 → %3, mean TTFT %4 → %5</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::FigureJob</name>
    <message numerus="yes">
        <source>%n run(s) recorded</source>
        <translation>
            <numerusform>%n run recorded</numerusform>
            <numerusform>%n runs recorded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n cell(s)</source>
        <translation>
            <numerusform>%1 of %n cell</numerusform>
            <numerusform>%1 of %n cells</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>canceled after %1 of %n cell(s); %2</source>
        <translation>
            <numerusform>canceled after %1 of %n cell; %2</numerusform>
            <numerusform>canceled after %1 of %n cells; %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::FigureQueue</name>
    <message numerus="yes">
        <source>%n figure(s) finished.</source>
        <translation>
            <numerusform>%n figure finished.</numerusform>
            <numerusform>%n figures finished.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n figure(s) finished; without a result: %2</source>
        <translation>
            <numerusform>%1 of %n figure finished; without a result: %2</numerusform>
            <numerusform>%1 of %n figures finished; without a result: %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::FigureResultView</name>
    <message numerus="yes">
        <source>Show %n run(s)</source>
        <translation>
            <numerusform>Show %n run</numerusform>
            <numerusform>Show %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::FiguresPage</name>
    <message numerus="yes">
        <source>%n result(s) imported.</source>
        <translation>
            <numerusform>%n result imported.</numerusform>
            <numerusform>%n results imported.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::FormulaChart</name>
    <message numerus="yes">
        <source>%n without a value</source>
        <translation>
            <numerusform>%n without a value</numerusform>
            <numerusform>%n without a value</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::GroupedChart</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ImportDialog</name>
    <message numerus="yes">
        <source>%1: %n entry(s) in the format %2, whose fields are known.</source>
        <translation>
            <numerusform>%1: %n entry in the format %2, whose fields are known.</numerusform>
            <numerusform>%1: %n entrys in the format %2, whose fields are known.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n entry(s). Choose the field of each part.</source>
        <translation>
            <numerusform>%1: %n entry. Choose the field of each part.</numerusform>
            <numerusform>%1: %n entrys. Choose the field of each part.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::KeepMapDock</name>
    <message numerus="yes">
        <source>kept in all %n KV head(s)</source>
        <translation>
            <numerusform>kept in all %n KV head</numerusform>
            <numerusform>kept in all %n KV heads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::KeepMapModel</name>
    <message numerus="yes">
        <source>“%1”, position %2
%3: kept in %4 of %n KV heads, mean score %5</source>
        <translation>
            <numerusform>“%1”, position %2
%3: kept in %4 of %n KV heads, mean score %5</numerusform>
            <numerusform>“%1”, position %2
%3: kept in %4 of %n KV heads, mean score %5</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::PipelineModel</name>
    <message numerus="yes">
        <source>%n later decoding span(s) not recorded</source>
        <translation>
            <numerusform>%n later decoding span not recorded</numerusform>
            <numerusform>%n later decoding spans not recorded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>chunk %1 of %n token(s)</source>
        <translation>
            <numerusform>chunk %1 of %n token</numerusform>
            <numerusform>chunk %1 of %n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>batched with %n other request(s)</source>
        <translation>
            <numerusform>batched with %n other request</numerusform>
            <numerusform>batched with %n other requests</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::PoolChart</name>
    <message numerus="yes">
        <source>request %1 on %2, after %3 tokens: %n block(s) freed, %4 KV entries moved in %5</source>
        <translation>
            <numerusform>request %1 on %2, after %3 tokens: %n block freed, %4 KV entries moved in %5</numerusform>
            <numerusform>request %1 on %2, after %3 tokens: %n blocks freed, %4 KV entries moved in %5</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::PoolWalkModel</name>
    <message numerus="yes">
        <source>Block %1, in %n block table(s): %2 KV entries live, %3 dead, %4 unused</source>
        <translation>
            <numerusform>Block %1, in %n block table: %2 KV entries live, %3 dead, %4 unused</numerusform>
            <numerusform>Block %1, in %n block tables: %2 KV entries live, %3 dead, %4 unused</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ReplayController</name>
    <message numerus="yes">
        <source>%n eviction(s)</source>
        <translation>
            <numerusform>%n eviction</numerusform>
            <numerusform>%n evictions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n re-profile(s)</source>
        <translation>
            <numerusform>%n re-profile</numerusform>
            <numerusform>%n re-profiles</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n fault(s)</source>
        <translation>
            <numerusform>%n fault</numerusform>
            <numerusform>%n faults</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n setting change(s)</source>
        <translation>
            <numerusform>%n setting change</numerusform>
            <numerusform>%n setting changes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ReplayDock</name>
    <message numerus="yes">
        <source>%1: %2, %n request(s)</source>
        <translation>
            <numerusform>%1: %2, %n request</numerusform>
            <numerusform>%1: %2, %n requests</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::RunComparisonModel</name>
    <message numerus="yes">
        <source>%n run(s) selected; select %1 to %2 to compare them.</source>
        <translation>
            <numerusform>%n run selected; select %1 to %2 to compare them.</numerusform>
            <numerusform>%n runs selected; select %1 to %2 to compare them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>95 % interval %1 over %n context(s)</source>
        <translation>
            <numerusform>95 % interval %1 over %n context</numerusform>
            <numerusform>95 % interval %1 over %n contexts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%n run(s))</source>
        <translation>
            <numerusform>(%n run)</numerusform>
            <numerusform>(%n runs)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::RunsDock</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n run(s)</source>
        <translation>
            <numerusform>%1 of %n run</numerusform>
            <numerusform>%1 of %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n run(s)?</source>
        <translation>
            <numerusform>Delete %n run?</numerusform>
            <numerusform>Delete %n runs?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::RunsModel</name>
    <message numerus="yes">
        <source>Mean TTFT over %n answered request(s) (%1); %2 with queueing</source>
        <translation>
            <numerusform>Mean TTFT over %n answered request (%1); %2 with queueing</numerusform>
            <numerusform>Mean TTFT over %n answered requests (%1); %2 with queueing</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Mean %1 over %n held-out answer(s) (measured)</source>
        <translation>
            <numerusform>Mean %1 over %n held-out answer (measured)</numerusform>
            <numerusform>Mean %1 over %n held-out answers (measured)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n finished request(s), including warm-up and canceled ones</source>
        <translation>
            <numerusform>%n finished request, including warm-up and canceled ones</numerusform>
            <numerusform>%n finished requests, including warm-up and canceled ones</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::SensitivityDock</name>
    <message numerus="yes">
        <source>Measured on the profile questions. %n context(s) have uncompressed quality 0, hence no relative drop.</source>
        <translation>
            <numerusform>Measured on the profile questions. %n context has uncompressed quality 0, hence no relative drop.</numerusform>
            <numerusform>Measured on the profile questions. %n contexts have uncompressed quality 0, hence no relative drop.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::SessionPoolModel</name>
    <message numerus="yes">
        <source>%n request(s) hold %1</source>
        <translation>
            <numerusform>%n request holds %1</numerusform>
            <numerusform>%n requests hold %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 KV entries evicted in %n answer(s)</source>
        <translation>
            <numerusform>%1 KV entries evicted in %n answer</numerusform>
            <numerusform>%1 KV entries evicted in %n answers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n compaction pass(es) freed %1 blocks in %2</source>
        <translation>
            <numerusform>%n compaction pass freed %1 blocks in %2</numerusform>
            <numerusform>%n compaction passes freed %1 blocks in %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::TierFitChart</name>
    <message numerus="yes">
        <source>%1; loaded %n time(s)</source>
        <translation>
            <numerusform>%1; loaded %n time</numerusform>
            <numerusform>%1; loaded %n times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::TierFitPage</name>
    <message numerus="yes">
        <source>Predicted before each of %n load(s): %1 (median), %2 (p95)</source>
        <translation>
            <numerusform>Predicted before each of %n load: %1 (median), %2 (p95)</numerusform>
            <numerusform>Predicted before each of %n loads: %1 (median), %2 (p95)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::TierReportsModel</name>
    <message numerus="yes">
        <source>%n load(s), residual %1 (median), %2 (p95)</source>
        <translation>
            <numerusform>%n load, residual %1 (median), %2 (p95)</numerusform>
            <numerusform>%n loads, residual %1 (median), %2 (p95)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed read(s)</source>
        <translation>
            <numerusform>%n failed read</numerusform>
            <numerusform>%n failed reads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::WindowStatusBar</name>
    <message numerus="yes">
        <source>%1: %n context(s)</source>
        <translation>
            <numerusform>%1: %n context</numerusform>
            <numerusform>%1: %n contexts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n request(s)</source>
        <translation>
            <numerusform>%1 of %n request</numerusform>
            <numerusform>%1 of %n requests</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s)</source>
        <translation>
            <numerusform>%n request</numerusform>
            <numerusform>%n requests</numerusform>
        </translation>
    </message>
</context>
</TS>
