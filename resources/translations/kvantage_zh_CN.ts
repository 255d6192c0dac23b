<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ButtonTips</name>
    <message>
        <source>Close this; nothing changes (Esc)</source>
        <translation>关闭；不作任何更改（Esc）</translation>
    </message>
    <message>
        <source>Close this window (Esc)</source>
        <translation>关闭此窗口（Esc）</translation>
    </message>
    <message>
        <source>Accept and close this (Enter)</source>
        <translation>确认并关闭（Enter）</translation>
    </message>
    <message>
        <source>Choose a file to save to</source>
        <translation>选择要保存到的文件</translation>
    </message>
</context>
<context>
    <name>ChartLatexText</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>CompareSummaryText</name>
    <message>
        <source>%1 is not complete, so nothing is judged.</source>
        <translation>%1 不完整，因此不作判断。</translation>
    </message>
    <message>
        <source>One of the runs has no answers.</source>
        <translation>其中一个运行没有回答。</translation>
    </message>
    <message>
        <source>The runs answered other questions, so nothing is paired: a difference counts where the two 95 % intervals do not overlap.</source>
        <translation>两个运行回答的问题不同，因此没有配对：两个 95 % 区间不重叠时才算有差异。</translation>
    </message>
    <message numerus="yes">
        <source>Both answered the same %n question(s) (contexts: %1). Differences are paired question by question; the 95 % intervals draw contexts.</source>
        <translation>
            <numerusform>两者回答了相同的 %n 个问题（上下文：%1）。差异按问题逐一配对；95 % 区间按上下文抽样。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Both answered %n question(s) that are the same (contexts: %1), of %2 and %3 answers. These are paired; the 95 % intervals draw contexts.</source>
        <translation>
            <numerusform>在 %2 和 %3 个回答中，两者有 %n 个相同的问题（上下文：%1）。这些问题配对比较；95 % 区间按上下文抽样。</numerusform>
        </translation>
    </message>
    <message>
        <source>Significant: %1.</source>
        <translation>显著：%1。</translation>
    </message>
    <message>
        <source>Not judged: %1.</source>
        <translation>未判断：%1。</translation>
    </message>
    <message>
        <source>The workloads differ: %1, %2.</source>
        <translation>工作负载不同：%1，%2。</translation>
    </message>
    <message>
        <source>The workloads have one name and differ in content.</source>
        <translation>工作负载名称相同，内容不同。</translation>
    </message>
    <message>
        <source>The models differ: %1, %2.</source>
        <translation>模型不同：%1，%2。</translation>
    </message>
    <message>
        <source>The models have one name and differ in content.</source>
        <translation>模型名称相同，内容不同。</translation>
    </message>
    <message>
        <source>The seeds differ: %1, %2.</source>
        <translation>种子不同：%1，%2。</translation>
    </message>
    <message>
        <source>The machines differ, so times are not of the settings alone.</source>
        <translation>机器不同，因此时间的差异不只来自设置。</translation>
    </message>
    <message>
        <source>%1 is simulated: its times are computed, not measured.</source>
        <translation>%1 是模拟的：其时间由计算得出，并非实测。</translation>
    </message>
    <message>
        <source>%1 repeats the recorded run %2.</source>
        <translation>%1 重复已记录的运行 %2。</translation>
    </message>
    <message>
        <source>%1 is not complete: %2.</source>
        <translation>%1 不完整：%2。</translation>
    </message>
    <message>
        <source>%1 against the baseline %2.</source>
        <translation>%1 与基线 %2 比较。</translation>
    </message>
    <message>
        <source>Caution: %1</source>
        <translation>注意：%1</translation>
    </message>
    <message>
        <source>Not significant: %1.</source>
        <translation>不显著：%1。</translation>
    </message>
    <message>
        <source>Each is a single run, so the noise between runs is not known: of times, only what exceeds any change of the machine that is accepted is judged. Serve both several times (--repeat).</source>
        <translation>两者都是单次运行，因此运行之间的噪声未知：对于时间，只评判超出可接受的机器变化的差异。请将两者重复多次（--repeat）。</translation>
    </message>
    <message>
        <source>%1 has %2 runs and %3 has %4; the intervals include the noise between runs.</source>
        <translation>%1 有 %2 次运行，%3 有 %4 次；区间包含运行之间的噪声。</translation>
    </message>
</context>
<context>
    <name>DecisionHeadline</name>
    <message>
        <source>not stored</source>
        <translation>未存储</translation>
    </message>
    <message>
        <source>uncompressed in %1</source>
        <translation>未压缩地存于 %1</translation>
    </message>
    <message>
        <source>in %1 as %2</source>
        <translation>以 %2 存于 %1</translation>
    </message>
    <message>
        <source>%1 it would gain %2 s of utility, but its entry is larger than the budget of %3</source>
        <translation>若%1，它会获得 %2 s 效用，但其条目大于 %3 的预算</translation>
    </message>
    <message>
        <source>%1 it would gain %2 s of utility, %3 s with its effect on others; the policy decides step by step and misses it</source>
        <translation>若%1，它会获得 %2 s 效用，计入对其他上下文的影响为 %3 s；该策略逐步决定，因此错过了它</translation>
    </message>
    <message>
        <source>%1 it would gain %2 s of utility, but displace %3, which costs %4 s</source>
        <translation>若%1，它会获得 %2 s 效用，但会挤走 %3，损失 %4 s</translation>
    </message>
    <message numerus="yes">
        <source>%1 it would gain %2 s of utility, but displace %3 and %n other context(s), which costs %4 s</source>
        <translation>
            <numerusform>若%1，它会获得 %2 s 效用，但会挤走 %3 和另外 %n 个上下文，损失 %4 s</numerusform>
        </translation>
    </message>
    <message>
        <source>its policy reacts to events and does not weigh utility</source>
        <translation>其策略响应事件，不权衡效用</translation>
    </message>
    <message>
        <source>it has not been requested yet</source>
        <translation>它尚未被请求</translation>
    </message>
    <message>
        <source>there is no other configuration</source>
        <translation>没有其他配置</translation>
    </message>
    <message>
        <source>no configuration is better for it; the runner-up, %1, has the same utility</source>
        <translation>没有对它更好的配置；次优的 %1 效用相同</translation>
    </message>
    <message>
        <source>no configuration is better for it; the runner-up, %1, has %2 s less utility</source>
        <translation>没有对它更好的配置；次优的 %1 效用少 %2 s</translation>
    </message>
    <message>
        <source>%1 is %2: %3.</source>
        <translation>%1 %2：%3。</translation>
    </message>
    <message>
        <source>%1 is planned to be %2: %3.</source>
        <translation>%1 按方案将%2：%3。</translation>
    </message>
    <message>
        <source>no configuration is better for it by the formula; the runner-up, %1, has %2 less</source>
        <translation>按公式没有对它更好的配置；次优的 %1 少 %2</translation>
    </message>
    <message>
        <source>%1 it would gain %2 by the formula, but its entry is larger than the budget of %3</source>
        <translation>若%1，按公式它会获得 %2，但其条目大于 %3 的预算</translation>
    </message>
    <message>
        <source>%1 it would gain %2 by the formula, %3 with its effect on others; the policy decides step by step and misses it</source>
        <translation>若%1，按公式它会获得 %2，计入对其他上下文的影响为 %3；该策略逐步决定，因此错过了它</translation>
    </message>
    <message>
        <source>%1 it would gain %2 by the formula, but displace others, which costs %3</source>
        <translation>若%1，按公式它会获得 %2，但会挤走其他上下文，损失 %3</translation>
    </message>
</context>
<context>
    <name>DockRegistry</name>
    <message>
        <source>Controls</source>
        <translation>控制</translation>
    </message>
    <message>
        <source>Policy, α, budgets, speeds, candidates and arrivals</source>
        <translation>策略、α、预算、速度、候选方案与到达</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Requests: question, answer and TTFT breakdown</source>
        <translation>请求：问题、回答与 TTFT 分解</translation>
    </message>
    <message>
        <source>Contexts</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Contexts: placement, compression and why</source>
        <translation>上下文：放置、压缩及原因</translation>
    </message>
    <message>
        <source>Tiers</source>
        <translation>层级</translation>
    </message>
    <message>
        <source>Occupancy, loads and counters of each tier</source>
        <translation>各层级的占用、加载与计数</translation>
    </message>
    <message>
        <source>Hit rates</source>
        <translation>命中率</translation>
    </message>
    <message>
        <source>Share of requests, tokens or bytes served from each tier</source>
        <translation>由各层级提供的请求、token 或字节占比</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>敏感度</translation>
    </message>
    <message>
        <source>Quality loss of each context by method and removed fraction</source>
        <translation>各上下文按方法和移除比例的质量损失</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>What the engine does and why</source>
        <translation>引擎做了什么、为什么</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>缓存池</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>回放</translation>
    </message>
    <message>
        <source>Replay a recorded run in all views</source>
        <translation>在所有视图中回放已记录的运行</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>Timeline of one request: read, unpack and compute by layer</source>
        <translation>单个请求的时间线：逐层的读取、解包与计算</translation>
    </message>
    <message>
        <source>The pool of KV blocks during eviction and compaction</source>
        <translation>驱逐和压实期间的 KV 块池</translation>
    </message>
</context>
<context>
    <name>ExperimentAxes</name>
    <message>
        <source>“%1” is not a number from %2 to %3. Write it like %4.</source>
        <translation>“%1”不是 %2 到 %3 之间的数。请写成 %4 这样的形式。</translation>
    </message>
    <message>
        <source>“%1” is not a budget. Write a factor of the session&apos;s budget like 0.5, or a share of the uncompressed bytes like 20%.</source>
        <translation>“%1”不是预算。请写会话预算的倍数（如 0.5），或未压缩字节数的比例（如 20%）。</translation>
    </message>
    <message>
        <source>Name at least one policy, like lru, evicpress.</source>
        <translation>请至少指定一个策略，例如 lru, evicpress。</translation>
    </message>
    <message>
        <source>“%1” is not a grid. Write FIRST:LAST:COUNT like 0.01:10:7.</source>
        <translation>“%1”不是网格。请写成“起点:终点:数量”，例如 0.01:10:7。</translation>
    </message>
    <message>
        <source>“%1” is not a seed. Write it like 0-4, 10.</source>
        <translation>“%1”不是种子。请写成 0-4, 10 这样的形式。</translation>
    </message>
    <message>
        <source>More than %1 seeds. Write a shorter list.</source>
        <translation>种子多于 %1 个。请缩短列表。</translation>
    </message>
    <message>
        <source>This line is about %1 alone: leave its name out.</source>
        <translation>此行仅针对 %1：请省略其名称。</translation>
    </message>
    <message>
        <source>1 removes every token. Write fractions below 1, like 0.2, 0.5, 0.8.</source>
        <translation>1 会移除所有 token。请写小于 1 的比例，例如 0.2, 0.5, 0.8。</translation>
    </message>
    <message>
        <source>“%1” is not a whole number from 0 to %2.</source>
        <translation>“%1”不是 0 到 %2 之间的整数。</translation>
    </message>
</context>
<context>
    <name>ExperimentFigure</name>
    <message>
        <source>α (s)</source>
        <translation>α（秒）</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Methods</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Decode-time eviction</source>
        <translation>解码时驱逐</translation>
    </message>
    <message>
        <source>Rate (1/s)</source>
        <translation>速率（1/s）</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Service TTFT (ms)</source>
        <translation>服务 TTFT（毫秒）</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Quality (%1)</source>
        <translation>质量（%1）</translation>
    </message>
    <message>
        <source>Measured points</source>
        <translation>实测点</translation>
    </message>
    <message>
        <source>TTFT (ms)</source>
        <translation>TTFT（ms）</translation>
    </message>
    <message>
        <source>Hit rate</source>
        <translation>命中率</translation>
    </message>
    <message>
        <source>On the frontier</source>
        <translation>位于前沿</translation>
    </message>
    <message>
        <source>Failed cells</source>
        <translation>失败的单元</translation>
    </message>
    <message>
        <source>Cell</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>%1 along α</source>
        <translation>%1 随 α 变化</translation>
    </message>
    <message>
        <source>Budget (% of the uncompressed caches)</source>
        <translation>预算（占未压缩缓存的 %）</translation>
    </message>
    <message>
        <source>%1 along the budget</source>
        <translation>%1 随预算变化</translation>
    </message>
    <message>
        <source>%1 along the rate</source>
        <translation>%1 随速率变化</translation>
    </message>
    <message>
        <source>range over seeds</source>
        <translation>各种子的范围</translation>
    </message>
</context>
<context>
    <name>ExperimentStoreText</name>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>canceled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>has version %1, but this program reads version %2; open it with the program that saved it</source>
        <translation>的版本为 %1，但本程序读取版本 %2；请用保存它的程序打开</translation>
    </message>
    <message>
        <source>This window keeps no experiments. Use kvantage-cli sweep in a terminal.</source>
        <translation>此窗口不保存实验。请在终端中使用 kvantage-cli sweep。</translation>
    </message>
    <message>
        <source>%1 cannot be removed: %2. Remove it by hand.</source>
        <translation>无法删除 %1：%2。请手动删除。</translation>
    </message>
</context>
<context>
    <name>FaultMenuText</name>
    <message>
        <source>%1 faults: %2</source>
        <translation>%1 故障：%2</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>No injected faults</source>
        <translation>未注入故障</translation>
    </message>
    <message>
        <source>Inject &amp;faults</source>
        <translation>注入故障(&amp;F)</translation>
    </message>
    <message>
        <source>No disk tier</source>
        <translation>没有磁盘层级</translation>
    </message>
</context>
<context>
    <name>FaultPresetsText</name>
    <message>
        <source>Bit flips</source>
        <translation>位翻转</translation>
    </message>
    <message>
        <source>Flips one bit of a read or write. Checksums detect it, and the read is a miss.</source>
        <translation>翻转一次读或写中的一个比特。校验和会检测到，该次读取计为未命中。</translation>
    </message>
    <message>
        <source>Torn writes</source>
        <translation>撕裂写入</translation>
    </message>
    <message>
        <source>Writes only the first 4 KiB blocks but reports success. The next read detects it.</source>
        <translation>只写入前几个 4 KiB 块却报告成功。下次读取会检测到。</translation>
    </message>
    <message>
        <source>Failing disk</source>
        <translation>故障磁盘</translation>
    </message>
    <message>
        <source>Reads, writes and flushes fail (EIO), and reads are cut short. Reads are misses; writes are not placed.</source>
        <translation>读、写和刷盘失败（EIO），读取被截断。读取计为未命中，写入不会放置。</translation>
    </message>
    <message>
        <source>Full disk</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>Writes fail (ENOSPC). Nothing new is placed here; stored caches are still served.</source>
        <translation>写入失败（ENOSPC）。不再放置新内容；已存储的缓存仍可使用。</translation>
    </message>
    <message>
        <source>Slow disk</source>
        <translation>慢速磁盘</translation>
    </message>
    <message>
        <source>Delays each read, write and flush by %1 ms. Answers are correct but late; times count as throttled.</source>
        <translation>每次读、写和刷盘延迟 %1 ms。回答正确但较慢；时间计为限速。</translation>
    </message>
    <message>
        <source>%1 at %2, seed %3</source>
        <translation>%1，概率 %2，种子 %3</translation>
    </message>
</context>
<context>
    <name>FigureImportText</name>
    <message>
        <source>has more than %1 JSON files. Choose the folder of reproduce all.</source>
        <translation>有超过 %1 个 JSON 文件。请选择 reproduce all 的文件夹。</translation>
    </message>
    <message>
        <source>is larger than 64 MiB, so it is no result of a figure.</source>
        <translation>大于 64 MiB，因此不是图表的结果。</translation>
    </message>
    <message>
        <source>has no result of a figure. Choose the folder that reproduce all --out wrote, or a file of reproduce --json.</source>
        <translation>没有图表的结果。请选择 reproduce all --out 写入的文件夹，或 reproduce --json 的文件。</translation>
    </message>
</context>
<context>
    <name>ForestPaintText</name>
    <message>
        <source>better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>Significantly better: the 95 % interval excludes 0</source>
        <translation>显著更好：95 % 区间不含 0</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>变差</translation>
    </message>
    <message>
        <source>Significantly worse: the 95 % interval excludes 0</source>
        <translation>显著更差：95 % 区间不含 0</translation>
    </message>
    <message>
        <source>Not significant: the 95 % interval includes 0</source>
        <translation>不显著：95 % 区间包含 0</translation>
    </message>
    <message>
        <source>not judged</source>
        <translation>未判断</translation>
    </message>
    <message>
        <source>not significant</source>
        <translation>不显著</translation>
    </message>
    <message>
        <source>One value per run, times of single runs, an incomplete run, a disturbed machine, answers no better than chance, or no interval</source>
        <translation>每次运行只有一个值、单次运行的时间、未完成的运行、机器受到干扰、答案不优于随机，或没有区间</translation>
    </message>
</context>
<context>
    <name>ForestRowsText</name>
    <message>
        <source> points</source>
        <translation> 个百分点</translation>
    </message>
    <message>
        <source>%1%2 (%3 to %4%2)</source>
        <translation>%1%2（%3 至 %4%2）</translation>
    </message>
    <message>
        <source>%1 is faster by %2</source>
        <translation>%1 快 %2</translation>
    </message>
    <message>
        <source>%1 is slower by %2</source>
        <translation>%1 慢 %2</translation>
    </message>
    <message>
        <source>%1 is worse by %2</source>
        <translation>%1 差 %2</translation>
    </message>
    <message>
        <source>%1 is better by %2</source>
        <translation>%1 好 %2</translation>
    </message>
    <message>
        <source>%1 is lower by %2</source>
        <translation>%1 低 %2</translation>
    </message>
    <message>
        <source>%1 is higher by %2</source>
        <translation>%1 高 %2</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Tiers</source>
        <translation>层级</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>成本</translation>
    </message>
    <message>
        <source>%1 lacks this metric</source>
        <translation>%1 没有此指标</translation>
    </message>
    <message>
        <source>%1, other questions</source>
        <translation>%1，问题不同</translation>
    </message>
    <message>
        <source>the same for each of n = %1</source>
        <translation>n = %1 个中每个都相同</translation>
    </message>
    <message>
        <source>not known: no interval</source>
        <translation>未知：没有区间</translation>
    </message>
    <message>
        <source>not judged: run not complete</source>
        <translation>未判断：运行不完整</translation>
    </message>
    <message>
        <source>not judged: machine disturbed</source>
        <translation>未判断：机器受到干扰</translation>
    </message>
    <message>
        <source>the same; not judged</source>
        <translation>相同；未判断</translation>
    </message>
    <message>
        <source>%1; not judged</source>
        <translation>%1；未判断</translation>
    </message>
    <message>
        <source>not significant (n = %1)</source>
        <translation>不显著（n = %1）</translation>
    </message>
    <message>
        <source>not significant (n = %1 and %2)</source>
        <translation>不显著（n = %1 和 %2）</translation>
    </message>
    <message>
        <source>%1; not judged: single runs</source>
        <translation>%1；未评判：单次运行</translation>
    </message>
    <message>
        <source>not judged: no better than chance</source>
        <translation>未评判：不优于随机</translation>
    </message>
</context>
<context>
    <name>FrontierKeysText</name>
    <message>
        <source>current setting</source>
        <translation>当前设置</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>curve of %1</source>
        <translation>%1 的曲线</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>运行 %1</translation>
    </message>
</context>
<context>
    <name>FrontierLegendText</name>
    <message>
        <source>fixed %1</source>
        <translation>固定 %1</translation>
    </message>
    <message>
        <source>fixed %1 %2</source>
        <translation>固定 %1 %2</translation>
    </message>
    <message>
        <source>full prefill</source>
        <translation>完整预填充</translation>
    </message>
    <message>
        <source>what-if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>what-if: simulated on this run&apos;s request sequence, cold start. A dashed line leads to the steady state of the same policy.</source>
        <translation>假设分析：按本次运行的请求序列模拟，冷启动。虚线指向同一策略的稳态。</translation>
    </message>
    <message>
        <source>%1; bars: 95 % interval</source>
        <translation>%1；误差条：95 % 区间</translation>
    </message>
    <message>
        <source>measured, throttled tiers</source>
        <translation>实测，限速层级</translation>
    </message>
    <message>
        <source>%1. Bold line: plans that no other α beats; faint line: all plans. Ring: current policy and α</source>
        <translation>%1。粗线：没有其他 α 更优的方案；细线：全部方案。圆环：当前策略与 α</translation>
    </message>
</context>
<context>
    <name>FrontierLevelsText</name>
    <message>
        <source>uncompressed</source>
        <translation>未压缩</translation>
    </message>
    <message numerus="yes">
        <source>Reuse without compression; mean over %n profiled context(s)</source>
        <translation>
            <numerusform>不压缩复用；%n 个已剖析上下文的平均值</numerusform>
        </translation>
    </message>
    <message>
        <source>chance</source>
        <translation>随机水平</translation>
    </message>
    <message>
        <source>Chance level: score of an answer to another question of the same family</source>
        <translation>随机水平：用同族另一问题的回答所得的分数</translation>
    </message>
    <message>
        <source>%1: quality %2</source>
        <translation>%1：质量 %2</translation>
    </message>
    <message>
        <source>Above the visible range</source>
        <translation>高于可见范围</translation>
    </message>
    <message>
        <source>Below the visible range</source>
        <translation>低于可见范围</translation>
    </message>
</context>
<context>
    <name>FrontierOverlay</name>
    <message>
        <source>↖ better</source>
        <translation>↖ 更好</translation>
    </message>
    <message>
        <source>α %1, n = %2</source>
        <translation>α %1，n = %2</translation>
    </message>
    <message>
        <source>%1, n = %2</source>
        <translation>%1，n = %2</translation>
    </message>
    <message>
        <source>measured, n = %1</source>
        <translation>实测，n = %1</translation>
    </message>
</context>
<context>
    <name>FrontierTipsText</name>
    <message>
        <source>%1 (95 %: %2 to %3)</source>
        <translation>%1（95 %：%2 至 %3）</translation>
    </message>
    <message>
        <source>α = %1 s per unit of quality</source>
        <translation>α = %1 s（每单位质量）</translation>
    </message>
    <message>
        <source>quality %1; predicted for the same requests %2
TTFT %3; predicted for the same requests %4</source>
        <translation>质量 %1；对相同请求的预测 %2
TTFT %3；对相同请求的预测 %4</translation>
    </message>
    <message>
        <source>quality %1
TTFT %2</source>
        <translation>质量 %1
TTFT %2</translation>
    </message>
    <message>
        <source>current setting: %1</source>
        <translation>当前设置：%1</translation>
    </message>
    <message>
        <source>measured quality %1, TTFT %2, n = %3</source>
        <translation>实测质量 %1，TTFT %2，n = %3</translation>
    </message>
    <message>
        <source>optimality gap ≤ %1</source>
        <translation>最优性间隙 ≤ %1</translation>
    </message>
    <message numerus="yes">
        <source>%1, what-if: simulated on %n request(s) of this run</source>
        <translation>
            <numerusform>%1，假设分析：按本次运行的 %n 个请求模拟</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, simulated in the steady state over %n request(s)</source>
        <translation>
            <numerusform>%1，稳态下 %n 个请求的模拟值</numerusform>
        </translation>
    </message>
    <message>
        <source>compared with: %1</source>
        <translation>比较对象：%1</translation>
    </message>
    <message>
        <source>context %1 as placed now: outside the visible range</source>
        <translation>上下文 %1 的当前放置：在可见范围之外</translation>
    </message>
    <message>
        <source>context %1 as placed now</source>
        <translation>上下文 %1 的当前放置</translation>
    </message>
    <message>
        <source>predicted quality %1, TTFT %2</source>
        <translation>预测质量 %1，TTFT %2</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s)</source>
        <translation>
            <numerusform>%n 个请求</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message numerus="yes">
        <source>%n context(s)</source>
        <translation>
            <numerusform>%n 个上下文</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) in a transient included</source>
        <translation>
            <numerusform>包含瞬态中的 %n 个请求</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) in a transient left out</source>
        <translation>
            <numerusform>排除瞬态中的 %n 个请求</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, simulated over %2</source>
        <translation>%1，%2 的模拟值</translation>
    </message>
    <message>
        <source>%1, measured on throttled tiers over %2</source>
        <translation>%1，在限速层级上 %2 的实测值</translation>
    </message>
    <message>
        <source>%1, measured over %2</source>
        <translation>%1，%2 的实测值</translation>
    </message>
    <message>
        <source>Press Enter to open run %1</source>
        <translation>按 Enter 打开运行 %1</translation>
    </message>
    <message>
        <source>proven optimal</source>
        <translation>已证明为最优</translation>
    </message>
</context>
<context>
    <name>HandoutText</name>
    <message>
        <source>Your prediction, before you look:</source>
        <translation>自己的预测（查看之前）：</translation>
    </message>
    <message>
        <source>Your prediction in %1, before you look:</source>
        <translation>自己的预测，单位 %1（查看之前）：</translation>
    </message>
    <message>
        <source>The result:</source>
        <translation>结果：</translation>
    </message>
    <message>
        <source>Why?</source>
        <translation>为什么？</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>Right: at most %1 from what the window shows</source>
        <translation>正确：与窗口所示相差不超过 %1</translation>
    </message>
    <message>
        <source>Right: the choice that fits what the window shows</source>
        <translation>正确：与窗口所示相符的选项</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
</context>
<context>
    <name>HeldPointsText</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Earlier run of this window</source>
        <translation>本窗口较早的运行</translation>
    </message>
</context>
<context>
    <name>KeepMapAnswersText</name>
    <message>
        <source>%1, F1 %2</source>
        <translation>%1，F1 %2</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>%1 &lt;i&gt;… cut at the maximum answer length&lt;/i&gt;</source>
        <translation>%1 &lt;i&gt;……在最大回答长度处截断&lt;/i&gt;</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>This context has no questions.</source>
        <translation>该上下文没有问题。</translation>
    </message>
    <message>
        <source>Select a question to see the answer from the kept tokens.</source>
        <translation>选择一个问题，查看由保留的 token 得到的回答。</translation>
    </message>
    <message>
        <source>Reference answer</source>
        <translation>参考答案</translation>
    </message>
    <message>
        <source>none in the workload</source>
        <translation>工作负载中没有</translation>
    </message>
    <message>
        <source>computing…</source>
        <translation>计算中……</translation>
    </message>
    <message>
        <source>Full KV cache</source>
        <translation>完整 KV 缓存</translation>
    </message>
    <message>
        <source>%1, same answer</source>
        <translation>%1，回答相同</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>KeptImportsText</name>
    <message>
        <source>%1, whose curves were imported, is gone; import them from where it is now.</source>
        <translation>%1（曲线由此导入）已不存在；请从其现在的位置重新导入。</translation>
    </message>
    <message>
        <source>Imported curves cannot be read again: %1</source>
        <translation>无法重新读取导入的曲线：%1</translation>
    </message>
    <message>
        <source>%1 has changed since its curves were imported; they are read as they are now.</source>
        <translation>自导入曲线以来，%1 已更改；现按其当前内容读取。</translation>
    </message>
</context>
<context>
    <name>LanguageMenu</name>
    <message>
        <source>Lan&amp;guage</source>
        <translation>语言(&amp;G)</translation>
    </message>
    <message>
        <source>Language of the window; takes effect after a restart</source>
        <translation>窗口语言；重启后生效</translation>
    </message>
    <message>
        <source>System default</source>
        <translation>系统默认</translation>
    </message>
</context>
<context>
    <name>LayoutFileText</name>
    <message>
        <source>is not a layout; open a file saved by View &gt; Layout &gt; Export layout</source>
        <translation>不是布局；请打开由“视图 &gt; 布局 &gt; 导出布局”保存的文件</translation>
    </message>
    <message>
        <source>is a layout of another version than %1; export it again with this version</source>
        <translation>的布局版本不是 %1；请用当前版本重新导出</translation>
    </message>
    <message>
        <source>lacks a name, docks, a state or its digest; export the layout again</source>
        <translation>缺少名称、停靠窗、状态或其摘要；请重新导出布局</translation>
    </message>
    <message>
        <source>lists a dock that is not text; export the layout again</source>
        <translation>列出的某个停靠窗不是文本；请重新导出布局</translation>
    </message>
    <message>
        <source>has a damaged state or name; export the layout again</source>
        <translation>的状态或名称已损坏；请重新导出布局</translation>
    </message>
</context>
<context>
    <name>LayoutMenuText</name>
    <message>
        <source>Layouts (*.kvlayout)</source>
        <translation>布局 (*.kvlayout)</translation>
    </message>
    <message>
        <source>Layout name</source>
        <translation>布局名称</translation>
    </message>
    <message>
        <source>Import layout</source>
        <translation>导入布局</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Arrange the docks as in “%1”</source>
        <translation>按“%1”排列停靠窗</translation>
    </message>
    <message>
        <source>Layout “%1” cannot be restored. Delete it and save it again.</source>
        <translation>无法恢复布局“%1”。请删除后重新保存。</translation>
    </message>
    <message>
        <source>&amp;Save as…</source>
        <translation>另存为(&amp;S)…</translation>
    </message>
    <message>
        <source>Save the current dock arrangement under a name</source>
        <translation>以一个名称保存当前停靠窗布局</translation>
    </message>
    <message>
        <source>Save layout</source>
        <translation>保存布局</translation>
    </message>
    <message>
        <source>&amp;Export layout…</source>
        <translation>导出布局(&amp;E)…</translation>
    </message>
    <message>
        <source>Save the current dock arrangement to a file</source>
        <translation>将当前停靠窗布局保存到文件</translation>
    </message>
    <message>
        <source>Export layout</source>
        <translation>导出布局</translation>
    </message>
    <message>
        <source>&amp;Import layout…</source>
        <translation>导入布局(&amp;I)…</translation>
    </message>
    <message>
        <source>Load a dock arrangement from an exported file</source>
        <translation>从导出的文件加载停靠窗布局</translation>
    </message>
    <message>
        <source>&amp;Delete layout</source>
        <translation>删除布局(&amp;D)</translation>
    </message>
    <message>
        <source>Delete the layout “%1”</source>
        <translation>删除布局“%1”</translation>
    </message>
    <message>
        <source>&amp;Layout</source>
        <translation>布局(&amp;L)</translation>
    </message>
    <message>
        <source>Name of the layout in the menu; one of the same name is replaced</source>
        <translation>布局在菜单中的名称；同名布局会被替换</translation>
    </message>
</context>
<context>
    <name>Layouts</name>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>Trade-offs</source>
        <translation>权衡</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Frontier only</source>
        <translation>仅前沿</translation>
    </message>
    <message>
        <source>%1: this window cannot restore the layout; export it again</source>
        <translation>%1：本窗口无法恢复该布局；请重新导出</translation>
    </message>
</context>
<context>
    <name>LessonFactsText</name>
    <message>
        <source>quality %1, TTFT %2 (%3, n = %4)</source>
        <translation>质量 %1，TTFT %2（%3，n = %4）</translation>
    </message>
    <message>
        <source>no answers with this setting yet</source>
        <translation>此设置下尚无回答</translation>
    </message>
    <message>
        <source>quality %1, TTFT %2 (predicted)</source>
        <translation>质量 %1，TTFT %2（预测）</translation>
    </message>
    <message>
        <source>no prediction yet</source>
        <translation>尚无预测</translation>
    </message>
    <message>
        <source>no answers yet</source>
        <translation>尚无回答</translation>
    </message>
    <message>
        <source>%1 drifted, %2 re-profiled</source>
        <translation>%1 个已漂移，%2 个已重新剖析</translation>
    </message>
    <message>
        <source>no tier is fitted yet</source>
        <translation>尚无已拟合的层级</translation>
    </message>
    <message>
        <source>loading everything is fastest</source>
        <translation>全部加载最快</translation>
    </message>
    <message>
        <source>recomputing everything is fastest</source>
        <translation>全部重算最快</translation>
    </message>
    <message>
        <source>recompute the first %1 tokens while loading the other %2</source>
        <translation>重算前 %1 个 token，同时加载其余 %2 个</translation>
    </message>
    <message>
        <source>%1 (%2 tokens, %3) from %4 at %5:
load all: %6; recompute all: %7
split: %8
overlapped: %9 (predicted from measured fits; the tier is throttled)</source>
        <translation>%1（%2 个 token，%3），来自 %4，%5：
全部加载：%6；全部重算：%7
划分：%8
重叠：%9（由实测拟合预测；该层级已限速）</translation>
    </message>
    <message>
        <source>%1 (%2 tokens, %3) from %4 at %5:
load all: %6; recompute all: %7
split: %8
overlapped: %9 (predicted from measured fits)</source>
        <translation>%1（%2 个 token，%3），来自 %4，%5：
全部加载：%6；全部重算：%7
划分：%8
重叠：%9（由实测拟合预测）</translation>
    </message>
    <message>
        <source>#%1 %2: first %3 tokens recomputed while the other %4 loaded from %5; TTFT %6 (%7), predicted %8, or %9 with loading only</source>
        <translation>#%1 %2：前 %3 个 token 重算，同时其余 %4 个从 %5 加载；TTFT %6（%7），预测 %8，仅加载则为 %9</translation>
    </message>
    <message>
        <source>no answer with a partly recomputed context yet</source>
        <translation>尚无部分重算上下文的回答</translation>
    </message>
    <message>
        <source>%1: KV cache %2 at the end of an answer, inter-token latency %3 (means of %4, measured)</source>
        <translation>%1：回答结束时 KV 缓存 %2，token 间延迟 %3（%4 个回答的均值，实测）</translation>
    </message>
    <message>
        <source>without eviction</source>
        <translation>不驱逐</translation>
    </message>
    <message>
        <source>with eviction</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>no answer of two or more tokens yet</source>
        <translation>尚无两个以上 token 的回答</translation>
    </message>
    <message>
        <source>the pool is not known yet</source>
        <translation>尚不知道池的状态</translation>
    </message>
    <message numerus="yes">
        <source>up to %n dead slot(s) in the newest samples</source>
        <translation>
            <numerusform>最新样本中最多 %n 个失效槽位</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 per decoding step</source>
        <translation>每个解码步 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n compaction pass(es): %1 blocks freed, %2 KV entries moved, %3 in all (measured)</source>
        <translation>
            <numerusform>%n 次压实：释放 %1 块，移动 %2 个 KV 条目，共用时 %3（实测）</numerusform>
        </translation>
    </message>
    <message>
        <source>no compaction pass yet</source>
        <translation>尚无压实</translation>
    </message>
    <message>
        <source>%1: %2 per answer token, %3 read, %4 tokens recomputed, %5 in memory (means of %6)</source>
        <translation>%1：每个回答 token %2，读取 %3，重算 %4 个 token，内存中保留 %5（%6 次的均值）</translation>
    </message>
    <message>
        <source>no answer with its cache on a tier yet</source>
        <translation>还没有缓存在层级上的回答</translation>
    </message>
</context>
<context>
    <name>LessonFile</name>
    <message>
        <source>is larger than 256 KiB; shorten the lesson</source>
        <translation>大于 256 KiB；请缩短课程</translation>
    </message>
    <message>
        <source>is not UTF-8 text; save it as UTF-8</source>
        <translation>不是 UTF-8 文本；请保存为 UTF-8</translation>
    </message>
    <message>
        <source>indented text without a field above; start the line with &quot;name: value&quot;</source>
        <translation>缩进的文本上方没有字段；请以“name: value”开始该行</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has no colon; write &quot;name: value&quot;, or indent it as text of the field above</source>
        <translation>“%1”没有冒号；请写“name: value”，或缩进为上方字段的文本</translation>
    </message>
    <message>
        <source>the first line must be &quot;lesson: TITLE&quot;, not &quot;%1&quot;; put it there</source>
        <translation>第一行必须是“lesson: TITLE”，而不是“%1”；请把它写在第一行</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has no value; write it after the colon</source>
        <translation>“%1”没有值；请写在冒号之后</translation>
    </message>
    <message>
        <source>&quot;%1&quot; appears twice; remove one</source>
        <translation>“%1”出现了两次；请删除一个</translation>
    </message>
    <message>
        <source>order: &quot;%1&quot; is not an integer from 1 to 99; write its place among the lessons</source>
        <translation>order：“%1”不是 1 到 99 的整数；请写出它在课程中的位置</translation>
    </message>
    <message>
        <source>&quot;order&quot; appears twice; remove one</source>
        <translation>“order”出现了两次；请删除一个</translation>
    </message>
    <message>
        <source>set: &quot;%1&quot; is not of the form &quot;NAME = VALUE&quot;; write it like &quot;alpha = 0.5&quot;</source>
        <translation>set：“%1”不是“NAME = VALUE”的形式；请写成 &quot;alpha = 0.5&quot; 的形式</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is unknown before the first step; use lesson, order, about, source, workload, layout, dock or set</source>
        <translation>“%1”在第一步之前未知；请使用 lesson、order、about、source、workload、layout、dock 或 set</translation>
    </message>
    <message>
        <source>the question must be the last step; move this before it</source>
        <translation>question 必须是最后一步；请把这一步移到它之前</translation>
    </message>
    <message>
        <source>&quot;at&quot; appears twice in this step; remove one</source>
        <translation>“at”在该步骤中出现了两次；请删除一个</translation>
    </message>
    <message>
        <source>&quot;%1&quot; belongs to a question; write &quot;question: ...&quot; first</source>
        <translation>“%1”属于 question；请先写“question: ...”</translation>
    </message>
    <message>
        <source>&quot;do&quot; appears twice in this step; split it into two steps</source>
        <translation>“do”在该步骤中出现了两次；请拆成两步</translation>
    </message>
    <message>
        <source>&quot;do&quot; is not allowed in a question; move it to a step</source>
        <translation>question 中不允许“do”；请移到步骤中</translation>
    </message>
    <message>
        <source>do: &quot;%1&quot; is unknown; use press, lowest, highest, change, on, off or choose ITEM</source>
        <translation>do：“%1”未知；请使用 press、lowest、highest、change、on、off 或 choose ITEM</translation>
    </message>
    <message>
        <source>&quot;wait&quot; is allowed once in a step and not in a question; remove it</source>
        <translation>“wait”每步只能有一个，且不能用于 question；请删除</translation>
    </message>
    <message>
        <source>wait: &quot;%1&quot; is not an integer from 1 to 10000 and an event type; write it like &quot;10 request.finished&quot;</source>
        <translation>wait：“%1”不是 1 到 10000 的整数加事件类型；请写成“10 request.finished”的形式</translation>
    </message>
    <message>
        <source>wait: unknown event &quot;%1&quot;; see the Events dock for names</source>
        <translation>wait：未知事件“%1”；名称见“事件”停靠窗</translation>
    </message>
    <message>
        <source>unknown fact {%1}; use one of %2</source>
        <translation>未知事实 {%1}；请使用 %2 之一</translation>
    </message>
    <message>
        <source>this step has no text; write it indented below</source>
        <translation>该步骤没有文本；请在下方缩进书写</translation>
    </message>
    <message>
        <source>this step has no target; write &quot;at: DOCK&quot; or &quot;at: DOCK / CONTROL&quot;</source>
        <translation>该步骤没有目标；请写“at: DOCK”或“at: DOCK / CONTROL”</translation>
    </message>
    <message>
        <source>&quot;do&quot; needs a control; write &quot;at: DOCK / CONTROL&quot;</source>
        <translation>“do”需要一个控件；请写“at: DOCK / CONTROL”</translation>
    </message>
    <message>
        <source>a question needs two or more answers, exactly one of them &quot;right: ...&quot;; correct them</source>
        <translation>question 需要两个以上的回答，且恰有一个“right: ...”；请改正</translation>
    </message>
    <message>
        <source>the answer &quot;%1&quot; has no reply; write it indented below</source>
        <translation>回答“%1”没有回复；请在下方缩进书写</translation>
    </message>
    <message>
        <source>&quot;%1: ...&quot; is missing; write it before the first step</source>
        <translation>缺少“%1: ...”；请写在第一步之前</translation>
    </message>
    <message>
        <source>&quot;order: NUMBER&quot; is missing; write it before the first step</source>
        <translation>缺少“order: NUMBER”；请写在第一步之前</translation>
    </message>
    <message>
        <source>the final question is missing; end the lesson with one</source>
        <translation>缺少最后的 question；请在课程末尾加上一个</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is unknown in a step; use step, predict, at, do, wait, slide, question, answer or right</source>
        <translation>“%1”在步骤中未知；请使用 step、predict、at、do、wait、slide、question、answer 或 right</translation>
    </message>
    <message>
        <source>&quot;%1&quot; belongs to a prediction; write &quot;predict: ...&quot; first</source>
        <translation>“%1”属于 predict；请先写“predict: ...”</translation>
    </message>
</context>
<context>
    <name>LessonGuessText</name>
    <message>
        <source>&quot;guess&quot; appears twice; remove one</source>
        <translation>“guess”出现了两次；请删除一个</translation>
    </message>
    <message>
        <source>guess: &quot;%1&quot; is unknown; write &quot;number LOW to HIGH&quot; with s or % behind it, &quot;choice&quot; or &quot;curve_point&quot;</source>
        <translation>guess：“%1”未知；请写“number LOW to HIGH”（后面可加 s 或 %）、“choice”或“curve_point”</translation>
    </message>
    <message>
        <source>&quot;within&quot; appears twice; remove one</source>
        <translation>“within”出现了两次；请删除一个</translation>
    </message>
    <message>
        <source>within: &quot;%1&quot; is not a number above 0; write it like 0.1 or 20 %</source>
        <translation>within：“%1”不是大于 0 的数；请写成 0.1 或 20 % 的形式</translation>
    </message>
    <message>
        <source>choice: &quot;%1&quot; has no range; write &quot;TEXT | below 10&quot;, &quot;TEXT | 10 to 50&quot; or &quot;TEXT | above 50&quot;</source>
        <translation>choice：“%1”没有范围；请写“TEXT | below 10”、“TEXT | 10 to 50”或“TEXT | above 50”</translation>
    </message>
    <message>
        <source>&quot;value&quot; appears twice; remove one</source>
        <translation>“value”出现了两次；请删除一个</translation>
    </message>
    <message>
        <source>value: unknown metric &quot;%1&quot;; use one of %2</source>
        <translation>value：未知指标“%1”；请使用 %2 之一</translation>
    </message>
    <message>
        <source>hide: the controls stay in view; name the view that shows the result</source>
        <translation>hide：“控制”始终可见；请写出显示结果的视图</translation>
    </message>
    <message>
        <source>hide: &quot;%1&quot; appears twice; remove one</source>
        <translation>hide：“%1”出现了两次；请删除一个</translation>
    </message>
    <message>
        <source>a prediction needs &quot;guess&quot;; write &quot;number LOW to HIGH&quot;, &quot;choice&quot; or &quot;curve_point&quot;</source>
        <translation>predict 需要“guess”；请写“number LOW to HIGH”、“choice”或“curve_point”</translation>
    </message>
    <message>
        <source>a prediction needs &quot;value&quot;; write one of %1</source>
        <translation>predict 需要“value”；请写 %1 之一</translation>
    </message>
    <message>
        <source>&quot;within&quot; is not allowed with choices; remove it</source>
        <translation>有 choice 时不允许“within”；请删除</translation>
    </message>
    <message>
        <source>the choices must cover every value once; begin with &quot;below&quot;, end with &quot;above&quot;, without a gap</source>
        <translation>各 choice 必须不重不漏地覆盖所有值；请以“below”开始、以“above”结束，中间不留空隙</translation>
    </message>
    <message>
        <source>&quot;choice&quot; needs &quot;guess: choice&quot;; correct one of them</source>
        <translation>“choice”需要“guess: choice”；请改正其中之一</translation>
    </message>
    <message>
        <source>a curve point is compared with an alpha by a factor; write &quot;value: knee_alpha&quot; and &quot;within: 100 %&quot;</source>
        <translation>曲线上的点按倍数与一个 alpha 比较；请写“value: knee_alpha”和“within: 100 %”</translation>
    </message>
    <message>
        <source>the number has the unit &quot;%1&quot;, but %2 has &quot;%3&quot;; write the same one</source>
        <translation>该数的单位是“%1”，而 %2 的单位是“%3”；请写相同的单位</translation>
    </message>
    <message>
        <source>a prediction needs &quot;within&quot;; write how far off is still right, like 0.1 or 20 %</source>
        <translation>predict 需要“within”；请写出相差多少仍算正确，如 0.1 或 20 %</translation>
    </message>
    <message>
        <source>a factor of %1</source>
        <translation>%1 倍</translation>
    </message>
</context>
<context>
    <name>LessonLinkText</name>
    <message>
        <source>unknown lesson &quot;%1&quot;; use one of %2</source>
        <translation>未知课程“%1”；请使用 %2 之一</translation>
    </message>
    <message>
        <source>lesson &quot;%1&quot; has no step &quot;%2&quot;; use a number from 1 to %3</source>
        <translation>课程“%1”没有步骤“%2”；请使用 1 到 %3 的数</translation>
    </message>
    <message>
        <source>the link &quot;%1&quot; has more than %2 characters; shorten it</source>
        <translation>链接“%1”超过 %2 个字符；请缩短</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no link to a lesson; write kvantage://lesson/NAME or kvantage://lesson/NAME#STEP</source>
        <translation>“%1”不是课程链接；请写 kvantage://lesson/NAME 或 kvantage://lesson/NAME#STEP</translation>
    </message>
</context>
<context>
    <name>LessonSettingsText</name>
    <message>
        <source>is not a number; write one, such as 0.5</source>
        <translation>不是数字；请写一个数字，如 0.5</translation>
    </message>
    <message>
        <source>is not a number of requests per second; write one, such as 2</source>
        <translation>不是每秒请求数；请写一个数字，如 2</translation>
    </message>
    <message>
        <source>is neither on nor off; write one of them</source>
        <translation>既不是 on 也不是 off；请写 on 或 off</translation>
    </message>
    <message>
        <source>contains &quot;%1&quot;, which is not a number; write fractions such as 0.5, 0.8</source>
        <translation>包含“%1”，它不是数字；请写比例，如 0.5, 0.8</translation>
    </message>
    <message>
        <source>names an unknown tier; use a name of the workload&apos;s session.json</source>
        <translation>指定了未知层级；请使用工作负载 session.json 中的名称</translation>
    </message>
    <message>
        <source>is not a budget, bandwidth (bytes per second) or latency (seconds) of a tier; correct its name</source>
        <translation>不是层级的 budget、bandwidth（字节/秒）或 latency（秒）；请改正名称</translation>
    </message>
    <message>
        <source>is too long; shorten it</source>
        <translation>过长；请缩短</translation>
    </message>
    <message>
        <source>is unknown; use policy, alpha, rate, methods, removed_fractions, reprofile, reprofile_when, compute_or_load, decode_eviction, decode_offload, speculation, TIER budget, TIER bandwidth or TIER latency</source>
        <translation>未知；请使用 policy、alpha、rate、methods、removed_fractions、reprofile、reprofile_when、compute_or_load、decode_eviction、decode_offload、speculation、TIER budget、TIER bandwidth 或 TIER latency</translation>
    </message>
</context>
<context>
    <name>LessonSlideText</name>
    <message>
        <source>&quot;slide&quot; appears twice in this step; remove one</source>
        <translation>“slide”在该步骤中出现了两次；请删除一个</translation>
    </message>
    <message>
        <source>slide: &quot;%1&quot; is not of the form &quot;chart=NAME control=NAME&quot;; write it like &quot;chart=frontier control=alpha&quot;</source>
        <translation>slide：“%1”不是“chart=NAME control=NAME”的形式；请写成“chart=frontier control=alpha”的形式</translation>
    </message>
    <message>
        <source>slide: unknown chart &quot;%1&quot;; use one of %2</source>
        <translation>slide：未知图表“%1”；请使用 %2 之一</translation>
    </message>
    <message>
        <source>slide: unknown control &quot;%1&quot;; use one of %2</source>
        <translation>slide：未知控件“%1”；请使用 %2 之一</translation>
    </message>
</context>
<context>
    <name>LessonStage</name>
    <message>
        <source>it is not a button</source>
        <translation>它不是按钮</translation>
    </message>
    <message>
        <source>it is not a slider</source>
        <translation>它不是滑块</translation>
    </message>
    <message>
        <source>it has no value to change</source>
        <translation>它没有可更改的值</translation>
    </message>
    <message>
        <source>it is not a check box</source>
        <translation>它不是复选框</translation>
    </message>
    <message>
        <source>it has no item &quot;%1&quot;</source>
        <translation>它没有条目“%1”</translation>
    </message>
    <message>
        <source>it has no page &quot;%1&quot;</source>
        <translation>它没有页面“%1”</translation>
    </message>
    <message>
        <source>it has nothing to select from</source>
        <translation>它没有可选择的内容</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is not a number</source>
        <translation>“%1”不是数字</translation>
    </message>
    <message>
        <source>unknown layout &quot;%1&quot;; use one of %2</source>
        <translation>未知布局“%1”；请使用 %2 之一</translation>
    </message>
    <message>
        <source>unknown dock &quot;%1&quot;; see ui/live/dock_registry.cpp for names</source>
        <translation>未知停靠窗“%1”；名称见 ui/live/dock_registry.cpp</translation>
    </message>
    <message>
        <source>no &quot;%1&quot; in &quot;%2&quot;; press Ctrl+K to find controls by name</source>
        <translation>“%2”中没有“%1”；按 Ctrl+K 可按名称查找控件</translation>
    </message>
    <message>
        <source>&quot;%1&quot; cannot do this: %2</source>
        <translation>“%1”不支持此操作：%2</translation>
    </message>
    <message>
        <source>hide: unknown dock &quot;%1&quot;; see ui/live/dock_registry.cpp for names</source>
        <translation>hide：未知停靠窗“%1”；名称见 ui/live/dock_registry.cpp</translation>
    </message>
</context>
<context>
    <name>ModeRegistry</name>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>The running session: Frontier, controls, tiers and requests</source>
        <translation>正在运行的会话：前沿、控制、存储层和请求</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>Ask your own question, and compare the answers of up to four caches</source>
        <translation>提出自己的问题，并比较最多四个缓存的答案</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Which tokens of a text a method keeps, and the answers from them</source>
        <translation>方法保留文本中的哪些token，以及由它们得出的答案</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Recorded runs: compare, replay, report, export</source>
        <translation>已记录的运行：比较、回放、报告、导出</translation>
    </message>
    <message>
        <source>Papers</source>
        <translation>论文</translation>
    </message>
    <message>
        <source>Reproduce published figures and compare with the papers</source>
        <translation>复现已发表的图并与论文比较</translation>
    </message>
    <message>
        <source>Learn</source>
        <translation>学习</translation>
    </message>
    <message>
        <source>Guided tour, lessons, guide and glossary</source>
        <translation>导览、课程、指南和术语表</translation>
    </message>
    <message>
        <source>Samples, recent files, your own text and model</source>
        <translation>示例、最近文件、自己的文本与模型</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>Experiments</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Measure many settings: policies, α, budgets, methods, rates and seeds</source>
        <translation>测量多种设置：策略、α、预算、方法、速率和种子</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>What is loaded, what fits into memory, and how fast models are here</source>
        <translation>已加载的模型、内存能容纳的模型，以及模型在本机上的速度</translation>
    </message>
</context>
<context>
    <name>ModelFactsText</name>
    <message>
        <source>%1 B</source>
        <translation>%1 B</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 M</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个 token</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>%1 on disk, computed in %2</source>
        <translation>磁盘上为 %1，以 %2 计算</translation>
    </message>
    <message>
        <source>Size on disk</source>
        <translation>磁盘大小</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>聊天模板</translation>
    </message>
    <message>
        <source>yes; prompt form %1</source>
        <translation>有；提示形式 %1</translation>
    </message>
    <message>
        <source>none; prompt form %1</source>
        <translation>无；提示形式 %1</translation>
    </message>
    <message>
        <source>Layers × KV heads × head size</source>
        <translation>层数 × KV 头数 × 头大小</translation>
    </message>
    <message>
        <source>Longest context</source>
        <translation>最长上下文</translation>
    </message>
    <message>
        <source>KV cache per token</source>
        <translation>每 token 的 KV 缓存</translation>
    </message>
    <message>
        <source>%1 bytes uncompressed: keys and values over all layers and KV heads</source>
        <translation>未压缩 %1 字节：所有层和 KV 头的键与值</translation>
    </message>
    <message>
        <source>KV cache per token, kivi4</source>
        <translation>每个 token 的 KV 缓存，kivi4</translation>
    </message>
    <message>
        <source>Mean over a context of %1, of which the newest tokens are not quantized</source>
        <translation>%1的上下文的平均值，其中最新的 token 未量化</translation>
    </message>
    <message>
        <source>Weights in memory</source>
        <translation>内存中的权重</translation>
    </message>
    <message>
        <source>In the type that this processor computes with; matrices in Q8_0 besides</source>
        <translation>以本处理器计算所用的类型；另加 Q8_0 的矩阵</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Buffers of a prefill of 256 tokens at a time</source>
        <translation>每次 256 个 token 的预填充的缓冲区</translation>
    </message>
    <message>
        <source>KV cache of the context</source>
        <translation>该上下文的 KV 缓存</translation>
    </message>
    <message>
        <source>Of one request with a context of %1, in blocks of the pool. The caches in memory tiers come on top.</source>
        <translation>一个请求的缓存，其上下文为%1，以缓存池的块计。内存层级中的缓存另计。</translation>
    </message>
    <message>
        <source>Needed</source>
        <translation>所需</translation>
    </message>
    <message>
        <source>Weights, workspace and the KV cache of the context</source>
        <translation>权重、工作区和该上下文的 KV 缓存</translation>
    </message>
    <message>
        <source>Free memory</source>
        <translation>空闲内存</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Free now, with the weights of the loaded model: opening another one frees them</source>
        <translation>当前空闲的内存，加上已加载模型的权重：打开另一个模型会释放它们</translation>
    </message>
    <message>
        <source>Longest context that fits</source>
        <translation>可容纳的最长上下文</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>In the memory that weights and workspace leave, in the pool of KV blocks, and in the positions of the model</source>
        <translation>受权重和工作区之外的内存、KV 块的缓存池以及模型的位置数限制</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>%1, measured on %2</source>
        <translation>%1，测量于 %2</translation>
    </message>
    <message>
        <source>%1, in this session</source>
        <translation>%1，本次会话</translation>
    </message>
    <message>
        <source>not measured on this machine</source>
        <translation>未在本机测量</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Tokens of a context of %1 per second, by the fit of measured prefills. %2</source>
        <translation>%1的上下文每秒的 token 数，由实测预填充拟合得出。%2</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Tokens of one answer per second: median over the latest answers (%1)</source>
        <translation>一个回答每秒的 token 数：最近若干回答（%1 个）的中位数</translation>
    </message>
    <message>
        <source>Types of the tensors by their bytes, the largest first. Types that this processor does not multiply are converted when the model is loaded.</source>
        <translation>张量的类型，按字节数从大到小。本处理器不能相乘的类型在加载模型时转换。</translation>
    </message>
    <message>
        <source>KV cache per token, past the windows</source>
        <translation>每 token 的 KV 缓存，超出窗口后</translation>
    </message>
    <message>
        <source>What a token adds to a stored context that is longer than the sliding windows: %1 of %2 layers have one, the longest of %3</source>
        <translation>比滑动窗口更长的已存储上下文中，每增加一个 token 所占的大小：%2 层中有 %1 层带滑动窗口，最长为 %3</translation>
    </message>
</context>
<context>
    <name>MoreSettingsText</name>
    <message>
        <source>Profile questions</source>
        <translation>剖析问题</translation>
    </message>
    <message>
        <source>all of the workload</source>
        <translation>工作负载的全部</translation>
    </message>
    <message>
        <source>Number of profile questions per context; 0: all</source>
        <translation>每个上下文的剖析问题数；0：全部</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Seed of what is drawn at random; further request sequences have the next ones</source>
        <translation>随机抽取所用的种子；其他请求序列使用随后的种子</translation>
    </message>
    <message>
        <source>Max concurrency</source>
        <translation>最大并发</translation>
    </message>
    <message>
        <source>as in the workload</source>
        <translation>与工作负载相同</translation>
    </message>
    <message>
        <source>Maximum concurrent requests</source>
        <translation>最大并发请求数</translation>
    </message>
    <message>
        <source>Eviction interval (steps)</source>
        <translation>逐出间隔（步）</translation>
    </message>
    <message>
        <source>each method&apos;s own</source>
        <translation>各方法自己的</translation>
    </message>
    <message>
        <source>Decoding steps between evictions; 0: each method&apos;s own</source>
        <translation>两次逐出之间的解码步数；0：各方法自己的</translation>
    </message>
    <message>
        <source>Shared heads</source>
        <translation>共享头</translation>
    </message>
    <message>
        <source>Drop the same tokens in all KV heads of a layer, as a shared block table (vLLM) requires</source>
        <translation>在一层的所有 KV 头中丢弃相同的 token，如共享块表（vLLM）所要求</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>that of the window</source>
        <translation>窗口的模型</translation>
    </message>
    <message>
        <source>random weights</source>
        <translation>随机权重</translation>
    </message>
    <message>
        <source>Hugging Face model folder or GGUF file, or reference-mha</source>
        <translation>Hugging Face 模型文件夹或 GGUF 文件，或 reference-mha</translation>
    </message>
    <message>
        <source>Models to compare</source>
        <translation>要比较的模型</translation>
    </message>
    <message>
        <source>one model</source>
        <translation>一个模型</translation>
    </message>
    <message>
        <source>Models, comma-separated (folders, GGUF files, reference-mha, default): the figure once on each, then their verdicts side by side. Leave Model empty.</source>
        <translation>模型，以逗号分隔（文件夹、GGUF 文件、reference-mha、default）：在每个模型上各复现一次该图，然后并列显示其结论。请将“模型”留空。</translation>
    </message>
</context>
<context>
    <name>PaletteEntriesText</name>
    <message>
        <source>Go to › %1</source>
        <translation>转到 › %1</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Export %1…</source>
        <translation>导出 %1…</translation>
    </message>
    <message>
        <source>As PNG, SVG, PDF, CSV or LaTeX</source>
        <translation>导出为 PNG、SVG、PDF、CSV 或 LaTeX</translation>
    </message>
</context>
<context>
    <name>PaperMenuText</name>
    <message>
        <source>Pictures (*.pdf *.svg *.png)</source>
        <translation>图片 (*.pdf *.svg *.png)</translation>
    </message>
    <message>
        <source>Export plot</source>
        <translation>导出图形</translation>
    </message>
    <message>
        <source>&amp;Plot for a paper</source>
        <translation>论文用图(&amp;P)</translation>
    </message>
    <message>
        <source>%1, one column (%2 mm)…</source>
        <translation>%1，单栏（%2 mm）…</translation>
    </message>
    <message>
        <source>%1, two columns (%2 mm)…</source>
        <translation>%1，双栏（%2 mm）…</translation>
    </message>
    <message>
        <source>Choose &amp;font…</source>
        <translation>选择字体(&amp;F)…</translation>
    </message>
</context>
<context>
    <name>ProfilingOutlook</name>
    <message numerus="yes">
        <source>%1 of %n context(s) profiled</source>
        <translation>
            <numerusform>已剖析 %1 / %n 个上下文</numerusform>
        </translation>
    </message>
    <message>
        <source>%1; the others are profiled during the run</source>
        <translation>%1；其余的在运行过程中剖析</translation>
    </message>
    <message>
        <source>%1; about %2 left</source>
        <translation>%1；大约还需 %2</translation>
    </message>
    <message>
        <source>%1 of %2 answers measured</source>
        <translation>已测量 %1 / %2 个回答</translation>
    </message>
    <message>
        <source>; more could raise utility by at most %1</source>
        <translation>；继续测量最多可使效用提高 %1</translation>
    </message>
    <message>
        <source>; good enough now</source>
        <translation>；现已足够好</translation>
    </message>
    <message>
        <source>; about %1 left</source>
        <translation>；约剩 %1</translation>
    </message>
    <message>
        <source>%1, %2 of %3 answers of the first curves</source>
        <translation>%1，首批曲线的回答 %2 / %3</translation>
    </message>
    <message>
        <source>; first curves in about %1</source>
        <translation>；约 %1 后得到首批曲线</translation>
    </message>
</context>
<context>
    <name>RecentFiles</name>
    <message>
        <source>Open &amp;recent</source>
        <translation>打开最近的文件(&amp;R)</translation>
    </message>
    <message>
        <source>No recent files</source>
        <translation>没有最近的文件</translation>
    </message>
    <message>
        <source>&amp;Clear recent files</source>
        <translation>清除最近的文件(&amp;C)</translation>
    </message>
    <message>
        <source>Clear this list; the files are kept</source>
        <translation>清除此列表；文件会保留</translation>
    </message>
</context>
<context>
    <name>RemoteQuestion</name>
    <message>
        <source>Connect to a server?</source>
        <translation>连接到服务器？</translation>
    </message>
    <message>
        <source>The files of “%1” name a server: %2</source>
        <translation>“%1”的文件指定了服务器：%2</translation>
    </message>
    <message>
        <source>Connecting sends KV caches of this session, and your saved password for this host, if any. Connect only if you trust the server.</source>
        <translation>连接会发送本会话的 KV 缓存，以及为该主机保存的密码（如有）。请仅在信任该服务器时连接。</translation>
    </message>
    <message>
        <source>&amp;Connect</source>
        <translation>连接(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Do not connect</source>
        <translation>不连接(&amp;D)</translation>
    </message>
    <message>
        <source>Connect, and keep KV caches on this server</source>
        <translation>连接，并在此服务器上保存 KV 缓存</translation>
    </message>
    <message>
        <source>Connect to no server (Esc)</source>
        <translation>不连接任何服务器（Esc）</translation>
    </message>
</context>
<context>
    <name>RunMarks</name>
    <message>
        <source>%1 evicted</source>
        <translation>%1 已驱逐</translation>
    </message>
    <message>
        <source>%1 re-profiled</source>
        <translation>%1 已重新剖析</translation>
    </message>
    <message>
        <source>%1 drifted</source>
        <translation>%1 已漂移</translation>
    </message>
    <message>
        <source>read from %1 failed: %2</source>
        <translation>从 %1 读取失败：%2</translation>
    </message>
    <message>
        <source>move of %1 failed: %2</source>
        <translation>移动 %1 失败：%2</translation>
    </message>
    <message>
        <source>run started</source>
        <translation>运行已开始</translation>
    </message>
    <message>
        <source>run ended</source>
        <translation>运行已结束</translation>
    </message>
</context>
<context>
    <name>RunMovesText</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>after %1: %2</source>
        <translation>%1 之后：%2</translation>
    </message>
</context>
<context>
    <name>RunsRowText</name>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>running in another window</source>
        <translation>在另一个窗口中运行</translation>
    </message>
    <message>
        <source>aborted</source>
        <translation>已中止</translation>
    </message>
    <message>
        <source>unlimited</source>
        <translation>无限制</translation>
    </message>
</context>
<context>
    <name>SampleMenuText</name>
    <message>
        <source>Open &amp;sample</source>
        <translation>打开示例(&amp;S)</translation>
    </message>
</context>
<context>
    <name>SaveQuestionText</name>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>%1 cannot be written. Choose another folder.</source>
        <translation>无法写入 %1。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>%1 cannot be written (%2). Choose another folder.</source>
        <translation>无法写入 %1（%2）。请选择其他文件夹。</translation>
    </message>
</context>
<context>
    <name>SettingsFileText</name>
    <message>
        <source>contains bytes that are not text</source>
        <translation>包含非文本字节</translation>
    </message>
    <message>
        <source>line %1 is not a setting (“%2”)</source>
        <translation>第 %1 行不是设置（“%2”）</translation>
    </message>
    <message>
        <source>%1: %2, so layouts and theme are not saved. Make it readable and restart.</source>
        <translation>%1：%2，因此不保存布局和主题。请使其可读后重启。</translation>
    </message>
    <message>
        <source>%1 is not a file, so layouts and theme are not saved. Remove it and restart.</source>
        <translation>%1 不是文件，因此不保存布局和主题。请将其移除后重启。</translation>
    </message>
    <message>
        <source>is larger than 16 MiB</source>
        <translation>大于 16 MiB</translation>
    </message>
    <message>
        <source>%1: %2, and it cannot be renamed, so layouts and theme are not saved. Remove the file.</source>
        <translation>%1：%2，且无法重命名，因此不保存布局和主题。请移除该文件。</translation>
    </message>
    <message>
        <source>%1: %2, so defaults are used. The file is renamed to %3; fix it and rename it back.</source>
        <translation>%1：%2，因此使用默认值。该文件已重命名为 %3；请修复后改回原名。</translation>
    </message>
</context>
<context>
    <name>SettingsValuesText</name>
    <message>
        <source>is not a number from %1 to %2</source>
        <translation>不是 %1 到 %2 之间的数字</translation>
    </message>
    <message>
        <source>is neither true nor false</source>
        <translation>既不是 true 也不是 false</translation>
    </message>
    <message>
        <source>is not a valid window geometry</source>
        <translation>不是有效的窗口几何信息</translation>
    </message>
    <message>
        <source>names an unknown dock (%1)</source>
        <translation>指定了未知停靠窗（%1）</translation>
    </message>
    <message>
        <source>is neither light nor dark</source>
        <translation>既不是 light 也不是 dark</translation>
    </message>
    <message>
        <source>is not an available language</source>
        <translation>不是可用的语言</translation>
    </message>
    <message>
        <source>%1: %2. The default or the nearest limit is used; change it in the window, or fix the file while it is closed.</source>
        <translation>%1：%2。将使用默认值或最近的限值；请在窗口中更改，或在窗口关闭时修复文件。</translation>
    </message>
</context>
<context>
    <name>SlideControlsText</name>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>α: seconds of TTFT that an answer of quality 1 is worth, in s</source>
        <translation>α：质量为 1 的回答值多少秒 TTFT，单位 s</translation>
    </message>
    <message>
        <source>α %1</source>
        <translation>α %1</translation>
    </message>
    <message>
        <source>α: value of quality (s)</source>
        <translation>α：质量的价值（s）</translation>
    </message>
    <message>
        <source>Faster</source>
        <translation>更快</translation>
    </message>
    <message>
        <source>Better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Placement and compression policy</source>
        <translation>放置与压缩策略</translation>
    </message>
    <message>
        <source>policy %1</source>
        <translation>策略 %1</translation>
    </message>
    <message>
        <source>This session has no tier.</source>
        <translation>本会话没有层级。</translation>
    </message>
    <message>
        <source>%1 budget</source>
        <translation>%1 预算</translation>
    </message>
    <message>
        <source>Budget of %1, in MiB including headers</source>
        <translation>%1 的预算，单位 MiB，含头部</translation>
    </message>
    <message>
        <source>%1 budget %2</source>
        <translation>%1 预算 %2</translation>
    </message>
    <message>
        <source>Budget of %1</source>
        <translation>%1 的预算</translation>
    </message>
</context>
<context>
    <name>SlideViewsText</name>
    <message>
        <source>Frontier</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>Hit rates</source>
        <translation>命中率</translation>
    </message>
    <message>
        <source>Quality of one context</source>
        <translation>单个上下文的质量</translation>
    </message>
    <message>
        <source>Occupancy of the tiers</source>
        <translation>各层级的占用</translation>
    </message>
    <message>
        <source>Loads of the slowest tier</source>
        <translation>最慢层级的加载</translation>
    </message>
    <message>
        <source>α: value of quality</source>
        <translation>α：质量的价值</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Budget of the fastest tier</source>
        <translation>最快层级的预算</translation>
    </message>
</context>
<context>
    <name>StepStarts</name>
    <message>
        <source>reset to step %1</source>
        <translation>重置到步骤 %1</translation>
    </message>
</context>
<context>
    <name>TablePlotText</name>
    <message>
        <source>%1 has no two columns of numbers to plot.</source>
        <translation>%1 没有两个可绘制的数值列。</translation>
    </message>
</context>
<context>
    <name>TargetLinesText</name>
    <message>
        <source>Target: %1
Drag to move it, out of the chart to clear it</source>
        <translation>目标：%1
拖动可移动，拖出图表可清除</translation>
    </message>
    <message>
        <source>Drag up to set the quality to reach</source>
        <translation>向上拖动以设置要达到的质量</translation>
    </message>
    <message>
        <source>Drag to the left to set the mean TTFT to keep</source>
        <translation>向左拖动以设置要保持的平均 TTFT</translation>
    </message>
    <message>
        <source>cheapest plan</source>
        <translation>最低成本方案</translation>
    </message>
</context>
<context>
    <name>TierCounterNames</name>
    <message>
        <source>Reads</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Bytes read</source>
        <translation>读取的字节</translation>
    </message>
    <message>
        <source>Failed reads</source>
        <translation>失败的读取</translation>
    </message>
    <message>
        <source>Writes</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Bytes written</source>
        <translation>写入的字节</translation>
    </message>
    <message>
        <source>Failed writes</source>
        <translation>失败的写入</translation>
    </message>
    <message>
        <source>Injected faults</source>
        <translation>注入的故障</translation>
    </message>
    <message>
        <source>Erased caches</source>
        <translation>已移除的缓存</translation>
    </message>
    <message>
        <source>Corrupt caches dropped</source>
        <translation>丢弃的损坏缓存</translation>
    </message>
    <message>
        <source>Caches verified</source>
        <translation>已校验的缓存</translation>
    </message>
    <message>
        <source>Caches recovered</source>
        <translation>已恢复的缓存</translation>
    </message>
    <message>
        <source>Added by others</source>
        <translation>由其他进程添加</translation>
    </message>
    <message>
        <source>Removed by others</source>
        <translation>由其他进程移除</translation>
    </message>
    <message>
        <source>Invalid seals</source>
        <translation>不匹配的封印</translation>
    </message>
    <message>
        <source>Files removed at opening</source>
        <translation>打开时移除的文件</translation>
    </message>
    <message>
        <source>Files skipped at opening</source>
        <translation>打开时跳过的文件</translation>
    </message>
    <message>
        <source>Headers and padding</source>
        <translation>头部与填充</translation>
    </message>
    <message>
        <source>Free space</source>
        <translation>空闲空间</translation>
    </message>
    <message>
        <source>Device memory allocated</source>
        <translation>已分配的设备内存</translation>
    </message>
    <message>
        <source>Bytes copied</source>
        <translation>复制的字节</translation>
    </message>
    <message>
        <source>Copy bandwidth</source>
        <translation>复制带宽</translation>
    </message>
    <message>
        <source>Peak copy bandwidth</source>
        <translation>复制带宽峰值</translation>
    </message>
    <message>
        <source>Copies overlapped</source>
        <translation>重叠的复制</translation>
    </message>
    <message>
        <source>KV cache in use</source>
        <translation>使用中的 KV 缓存</translation>
    </message>
    <message>
        <source>KV cache memory</source>
        <translation>KV 缓存内存</translation>
    </message>
    <message>
        <source>Bytes uploaded</source>
        <translation>上传的字节</translation>
    </message>
    <message>
        <source>Upload bandwidth</source>
        <translation>上传带宽</translation>
    </message>
    <message>
        <source>Peak upload bandwidth</source>
        <translation>上传带宽峰值</translation>
    </message>
    <message>
        <source>Uploads overlapped</source>
        <translation>重叠的上传</translation>
    </message>
    <message>
        <source>Bytes downloaded</source>
        <translation>下载的字节</translation>
    </message>
    <message>
        <source>Download bandwidth</source>
        <translation>下载带宽</translation>
    </message>
    <message>
        <source>Peak download bandwidth</source>
        <translation>下载带宽峰值</translation>
    </message>
    <message>
        <source>full</source>
        <translation>已满</translation>
    </message>
    <message>
        <source>I/O error</source>
        <translation>I/O 错误</translation>
    </message>
    <message>
        <source>wrong length</source>
        <translation>长度不符</translation>
    </message>
    <message>
        <source>vanished</source>
        <translation>已消失</translation>
    </message>
    <message>
        <source>file missing</source>
        <translation>文件缺失</translation>
    </message>
    <message>
        <source>ends early</source>
        <translation>提前结束</translation>
    </message>
    <message>
        <source>checksum mismatch</source>
        <translation>校验和不匹配</translation>
    </message>
    <message>
        <source>device error</source>
        <translation>设备错误</translation>
    </message>
    <message>
        <source>server unavailable</source>
        <translation>服务器不可用</translation>
    </message>
    <message>
        <source>replaced by another process</source>
        <translation>被其他进程替换</translation>
    </message>
    <message>
        <source>canceled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>invalid request</source>
        <translation>请求无效</translation>
    </message>
    <message>
        <source>to the device</source>
        <translation>写入设备</translation>
    </message>
    <message>
        <source>from the device</source>
        <translation>读出设备</translation>
    </message>
    <message>
        <source>bit flips while reading</source>
        <translation>读取时比特翻转</translation>
    </message>
    <message>
        <source>bit flips while writing</source>
        <translation>写入时比特翻转</translation>
    </message>
    <message>
        <source>torn writes</source>
        <translation>撕裂写入</translation>
    </message>
    <message>
        <source>short reads</source>
        <translation>读取不足</translation>
    </message>
    <message>
        <source>read errors</source>
        <translation>读取错误</translation>
    </message>
    <message>
        <source>write errors</source>
        <translation>写入错误</translation>
    </message>
    <message>
        <source>flush errors</source>
        <translation>刷写错误</translation>
    </message>
    <message>
        <source>lost flushes</source>
        <translation>丢失的刷写</translation>
    </message>
    <message>
        <source>delayed reads</source>
        <translation>延迟的读取</translation>
    </message>
    <message>
        <source>Occupied storage</source>
        <translation>实际占用存储</translation>
    </message>
    <message>
        <source>Caches in it</source>
        <translation>其中的缓存</translation>
    </message>
    <message>
        <source>conflict with another process</source>
        <translation>与其他进程冲突</translation>
    </message>
</context>
<context>
    <name>TranslatedTexts</name>
    <message>
        <source>is larger than 256 KiB; split it</source>
        <translation>大于 256 KiB；请拆分</translation>
    </message>
    <message>
        <source>is not UTF-8 text; save it as UTF-8</source>
        <translation>不是 UTF-8 文本；请保存为 UTF-8</translation>
    </message>
    <message>
        <source>&quot;%1&quot; begins neither with &quot;en:&quot; nor with &quot;%2:&quot;; indent it as part of the text above, or correct it</source>
        <translation>“%1”既不以“en:”也不以“%2:”开头；请缩进为上方文本的一部分，或改正</translation>
    </message>
    <message>
        <source>&quot;%1&quot; has no value; write it after the colon</source>
        <translation>“%1”没有值；请写在冒号之后</translation>
    </message>
    <message>
        <source>this translation has no text; write &quot;en: TEXT&quot; above it</source>
        <translation>该译文没有原文；请在其上方写“en: TEXT”</translation>
    </message>
    <message>
        <source>this text has a translation already; remove one</source>
        <translation>该文本已有译文；请删除一个</translation>
    </message>
    <message>
        <source>indented text without a text above; start the line with &quot;en:&quot;</source>
        <translation>缩进的文本上方没有文本；请以“en:”开始该行</translation>
    </message>
    <message>
        <source>this text has no translation; write &quot;%1: TEXT&quot; below it, or remove it</source>
        <translation>该文本没有译文；请在其下方写“%1: TEXT”，或删除该文本</translation>
    </message>
    <message>
        <source>the translation has other {facts} than its text; use the same ones</source>
        <translation>译文中的 {事实} 与原文不同；请使用相同的事实</translation>
    </message>
</context>
<context>
    <name>WindowPages</name>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>Frontier</source>
        <translation>前沿</translation>
    </message>
</context>
<context>
    <name>WindowPreferences</name>
    <message>
        <source>%1: the saved dock arrangement is damaged, so the default layout is used. Arrange the docks again.</source>
        <translation>%1：保存的停靠窗布局已损坏，因此使用默认布局。请重新排列停靠窗。</translation>
    </message>
</context>
<context>
    <name>WindowProgram</name>
    <message>
        <source>%1 names the server %2, which was not allowed. The quick start is served instead.</source>
        <translation>%1 指定了未被允许的服务器 %2。改为运行快速入门。</translation>
    </message>
    <message>
        <source>%1. The file is left unchanged, and runs are recorded in %2.</source>
        <translation>%1。该文件保持不变，运行记录到 %2。</translation>
    </message>
    <message>
        <source>Recorded runs cannot be listed: %1</source>
        <translation>无法列出已记录的运行：%1</translation>
    </message>
    <message>
        <source>This session uses a separate store: %1</source>
        <translation>此会话使用独立存储：%1</translation>
    </message>
    <message>
        <source>%1, the sample workload of this lesson, was not found. Copy it into %2.</source>
        <translation>未找到本课程的示例工作负载 %1。请将其复制到 %2。</translation>
    </message>
    <message>
        <source>Opening %1…</source>
        <translation>正在打开 %1…</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Another process uses this store; this session uses a separate one.</source>
        <translation>另一个进程正在使用此存储；本会话使用自己的存储。</translation>
    </message>
    <message>
        <source>Reopen this session with the shared store, once it is free</source>
        <translation>共享存储空闲后，用它重新打开此会话</translation>
    </message>
    <message>
        <source>Grouped-query attention, texts of up to 2,688 tokens: many methods differ on it</source>
        <translation>分组查询注意力（GQA），文本最长 2,688 个 token：许多方法在它上面表现不同</translation>
    </message>
    <message>
        <source>Multi-head attention, texts of up to 8,192 tokens: key norms tell which tokens get attention, so eviction by norms works on it by construction</source>
        <translation>多头注意力（MHA），文本最长 8,192 个 token：键的范数预示哪些 token 会得到注意力，因此按范数驱逐在它上面按构造有效</translation>
    </message>
    <message>
        <source>%1 names the server %2, which was not allowed. The workload&apos;s own settings are used instead.</source>
        <translation>%1 指定了服务器 %2，但未获允许。改用工作负载自己的设置。</translation>
    </message>
</context>
<context>
    <name>WindowWiring</name>
    <message>
        <source>α is set to the knee of the predicted curve, %1: beyond it, quality costs much more TTFT.</source>
        <translation>α 已设为预测曲线的拐点 %1：再往上，提高质量要付出多得多的 TTFT。</translation>
    </message>
    <message>
        <source>Back to %1</source>
        <translation>恢复为 %1</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>WordsText</name>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>measured: real model, real bytes, wall clock</source>
        <translation>实测：真实模型、真实字节、真实时钟</translation>
    </message>
    <message>
        <source>throttled: measured on a tier limited to the configured bandwidth and latency</source>
        <translation>限速：在限制为所设带宽与延迟的层级上实测</translation>
    </message>
    <message>
        <source>simulated: same policy code, fitted costs, virtual clock</source>
        <translation>模拟：相同的策略代码、拟合的开销、虚拟时钟</translation>
    </message>
    <message>
        <source>predicted: expected by the policy from profiles and fitted costs</source>
        <translation>预测：策略根据剖析结果和拟合开销的预期</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>已关闭</translation>
    </message>
    <message>
        <source>uncompressed</source>
        <translation>未压缩</translation>
    </message>
    <message>
        <source>%1, %2 removed</source>
        <translation>%1，移除 %2</translation>
    </message>
    <message>
        <source>not stored</source>
        <translation>未存储</translation>
    </message>
    <message>
        <source>KV cache: peak %1, %2 at the end</source>
        <translation>KV 缓存：峰值 %1，结束时 %2</translation>
    </message>
    <message>
        <source>%1 not applied: %2</source>
        <translation>%1 未应用：%2</translation>
    </message>
    <message>
        <source>planned: %1, chosen from %2; predicted quality %3, %4 per token</source>
        <translation>按计划：%1，从 %2 个中选出；预测质量 %3，每 token %4</translation>
    </message>
    <message>
        <source>planned: none, because the options are not profiled yet</source>
        <translation>按计划：无，因为选项尚未剖析</translation>
    </message>
    <message numerus="yes">
        <source>%1: budget %n token(s) per head</source>
        <translation>
            <numerusform>%1：每个头预算 %n 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of the KV entries read</source>
        <translation>读取了 %1 的 KV 条目</translation>
    </message>
    <message>
        <source>%1 KV entries evicted; choosing them took %2</source>
        <translation>驱逐 %1 个 KV 条目；选择用时 %2</translation>
    </message>
    <message numerus="yes">
        <source>%n compaction pass(es)</source>
        <translation>
            <numerusform>%n 次压实</numerusform>
        </translation>
    </message>
    <message>
        <source>: %1 blocks freed, %2 entries moved, %3</source>
        <translation>：释放 %1 块，移动 %2 个条目，%3</translation>
    </message>
    <message>
        <source>decode offload %1, per answer token: %2 of %3 tokens recomputed, %4 read, %5 (predicted %6)</source>
        <translation>解码卸载 %1，每个回答 token：%3 个 token 中重算 %2 个，读取 %4，用时 %5（预测 %6）</translation>
    </message>
    <message>
        <source>%1; %2 of the context stayed in memory</source>
        <translation>%1；上下文中有 %2 留在内存中</translation>
    </message>
    <message numerus="yes">
        <source>%n token(s) recomputed from layer inputs in %1 (our extension)</source>
        <translation>
            <numerusform>从层输入重算了 %n 个 token，用时 %1（本项目的扩展）</numerusform>
        </translation>
    </message>
    <message>
        <source>imported: measured by others, elsewhere; its source says by whom</source>
        <translation>导入：由他人在别处实测；其来源说明由谁测得</translation>
    </message>
    <message>
        <source>speculation %1 not applied: %2</source>
        <translation>推测解码 %1 未应用：%2</translation>
    </message>
    <message>
        <source>speculation %1: %2 tokens per pass, %3 of %4 drafts accepted</source>
        <translation>推测解码 %1：每次前向 %2 个 token，%4 个草稿 token 中接受 %3 个</translation>
    </message>
</context>
<context>
    <name>core</name>
    <message>
        <source>budget %</source>
        <translation>预算 %</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>alpha s</source>
        <translation>alpha s</translation>
    </message>
    <message>
        <source>quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>low</source>
        <translation>下界</translation>
    </message>
    <message>
        <source>high</source>
        <translation>上界</translation>
    </message>
    <message>
        <source>predicted quality</source>
        <translation>预测质量</translation>
    </message>
    <message>
        <source>seeds</source>
        <translation>种子数</translation>
    </message>
    <message>
        <source>fixed + lru, equal quality</source>
        <translation>固定 + lru，同等质量</translation>
    </message>
    <message>
        <source>quality % at equal TTFT</source>
        <translation>同等 TTFT 下质量 %</translation>
    </message>
    <message>
        <source>impress, equal quality</source>
        <translation>impress，同等质量</translation>
    </message>
    <message>
        <source>impress, quality % at equal TTFT</source>
        <translation>impress，同等 TTFT 下质量 %</translation>
    </message>
    <message>
        <source>prefill, 3 % near full</source>
        <translation>预填充，距完整 3 % 以内</translation>
    </message>
    <message>
        <source>lru, 3 % near full</source>
        <translation>lru，距完整 3 % 以内</translation>
    </message>
    <message>
        <source>floor s</source>
        <translation>下限 s</translation>
    </message>
    <message>
        <source>predicted - measured</source>
        <translation>预测 - 实测</translation>
    </message>
    <message>
        <source>family</source>
        <translation>族</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>points</source>
        <translation>点数</translation>
    </message>
    <message>
        <source>ahead</source>
        <translation>领先</translation>
    </message>
    <message>
        <source>unreached</source>
        <translation>未达到</translation>
    </message>
    <message>
        <source>contexts</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>tier</source>
        <translation>层级</translation>
    </message>
    <message>
        <source>method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>removed fraction</source>
        <translation>移除比例</translation>
    </message>
    <message>
        <source>placements</source>
        <translation>放置数</translation>
    </message>
    <message>
        <source>mean removed fraction</source>
        <translation>平均移除比例</translation>
    </message>
    <message>
        <source>mean % of the uncompressed bytes</source>
        <translation>平均占未压缩字节的 %</translation>
    </message>
    <message>
        <source>drop</source>
        <translation>下降</translation>
    </message>
    <message>
        <source>25th percentile</source>
        <translation>第 25 百分位</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>75th percentile</source>
        <translation>第 75 百分位</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>coefficient of variation</source>
        <translation>变异系数</translation>
    </message>
    <message>
        <source>standard deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>share %</source>
        <translation>占比 %</translation>
    </message>
    <message>
        <source>without ties %</source>
        <translation>不含并列 %</translation>
    </message>
    <message>
        <source>median tokens</source>
        <translation>中位 token 数</translation>
    </message>
    <message>
        <source>shortest</source>
        <translation>最短</translation>
    </message>
    <message>
        <source>longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>condition</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>part</source>
        <translation>段</translation>
    </message>
    <message>
        <source>uncompressed quality</source>
        <translation>未压缩质量</translation>
    </message>
    <message>
        <source>drifts found</source>
        <translation>发现的漂移</translation>
    </message>
    <message>
        <source>re-profiled curves</source>
        <translation>重新剖析的曲线</translation>
    </message>
    <message>
        <source>re-profiling s</source>
        <translation>重新剖析 s</translation>
    </message>
    <message>
        <source>busy s</source>
        <translation>忙碌 s</translation>
    </message>
    <message>
        <source>share of busy %</source>
        <translation>占忙碌的 %</translation>
    </message>
    <message>
        <source>longest step ms</source>
        <translation>最长步骤 ms</translation>
    </message>
    <message>
        <source>longest prefill step ms</source>
        <translation>最长预填充步骤 ms</translation>
    </message>
    <message>
        <source>others</source>
        <translation>其他策略</translation>
    </message>
    <message>
        <source>service s</source>
        <translation>服务 s</translation>
    </message>
    <message>
        <source>speed at equal quality, min</source>
        <translation>同等质量下的速度，最小</translation>
    </message>
    <message>
        <source>quality % at equal TTFT, min</source>
        <translation>同等 TTFT 下质量 %，最小</translation>
    </message>
    <message>
        <source>rate 1/s</source>
        <translation>速率 1/s</translation>
    </message>
    <message>
        <source>answered 1/s</source>
        <translation>已回答 1/s</translation>
    </message>
    <message>
        <source>busy %</source>
        <translation>忙碌 %</translation>
    </message>
    <message>
        <source>context prefill % of busy</source>
        <translation>上下文预填充占忙碌的 %</translation>
    </message>
    <message>
        <source>question prefill % of busy</source>
        <translation>问题预填充占忙碌的 %</translation>
    </message>
    <message>
        <source>placing % of busy</source>
        <translation>放置占忙碌的 %</translation>
    </message>
    <message>
        <source>profiling % of busy</source>
        <translation>剖析占忙碌的 %</translation>
    </message>
    <message>
        <source>decoding and unpacking % of busy</source>
        <translation>解码与解包占忙碌的 %</translation>
    </message>
    <message>
        <source>answer tokens/s</source>
        <translation>回答 token/s</translation>
    </message>
    <message>
        <source>prefills</source>
        <translation>预填充次数</translation>
    </message>
    <message>
        <source>inter-token latency s</source>
        <translation>token 间延迟 s</translation>
    </message>
    <message>
        <source>scheme</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>paper TTFT s</source>
        <translation>论文 TTFT s</translation>
    </message>
    <message>
        <source>paper quality</source>
        <translation>论文质量</translation>
    </message>
    <message>
        <source>eviction method</source>
        <translation>驱逐方法</translation>
    </message>
    <message>
        <source>evictor</source>
        <translation>驱逐方法</translation>
    </message>
    <message>
        <source>compaction</source>
        <translation>压实</translation>
    </message>
    <message>
        <source>page tokens</source>
        <translation>页 token 数</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>ms/token</source>
        <translation>ms/token</translation>
    </message>
    <message>
        <source>peak MiB</source>
        <translation>峰值 MiB</translation>
    </message>
    <message>
        <source>holes %</source>
        <translation>空洞 %</translation>
    </message>
    <message>
        <source>blocks freed</source>
        <translation>释放的块</translation>
    </message>
    <message>
        <source>freed by compaction</source>
        <translation>由压实释放</translation>
    </message>
    <message>
        <source>slot copies</source>
        <translation>槽位拷贝</translation>
    </message>
    <message>
        <source>score buffer KiB</source>
        <translation>得分缓冲区 KiB</translation>
    </message>
    <message>
        <source>full cache</source>
        <translation>完整缓存</translation>
    </message>
    <message>
        <source>hole filling</source>
        <translation>填补空洞</translation>
    </message>
    <message>
        <source>repack</source>
        <translation>重新打包</translation>
    </message>
    <message>
        <source>eviction</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>evicted rows</source>
        <translation>驱逐的行</translation>
    </message>
    <message>
        <source>freed</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>us/pass</source>
        <translation>us/遍</translation>
    </message>
    <message>
        <source>attention weights</source>
        <translation>注意力权重</translation>
    </message>
    <message>
        <source>needed</source>
        <translation>需要</translation>
    </message>
    <message>
        <source>scored ms</source>
        <translation>打分 ms</translation>
    </message>
    <message>
        <source>slowdown</source>
        <translation>减速</translation>
    </message>
    <message>
        <source>observed KiB</source>
        <translation>观测 KiB</translation>
    </message>
    <message>
        <source>prompt tokens</source>
        <translation>提示 token</translation>
    </message>
    <message>
        <source>generated</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>offloaded MB</source>
        <translation>卸载 MB</translation>
    </message>
    <message>
        <source>load only s</source>
        <translation>仅加载 s</translation>
    </message>
    <message>
        <source>load only tokens/s</source>
        <translation>仅加载 token/s</translation>
    </message>
    <message>
        <source>split s</source>
        <translation>拆分 s</translation>
    </message>
    <message>
        <source>split tokens/s</source>
        <translation>拆分 token/s</translation>
    </message>
    <message>
        <source>time saved %</source>
        <translation>节省时间 %</translation>
    </message>
    <message>
        <source>predicted split s</source>
        <translation>预测拆分 s</translation>
    </message>
    <message>
        <source>prediction error %</source>
        <translation>预测误差 %</translation>
    </message>
    <message>
        <source>variant</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>waiting for the link %</source>
        <translation>等待链路 %</translation>
    </message>
    <message>
        <source>recomputing %</source>
        <translation>重算 %</translation>
    </message>
    <message>
        <source>other %</source>
        <translation>其他 %</translation>
    </message>
    <message>
        <source>keys and values MB</source>
        <translation>键和值 MB</translation>
    </message>
    <message>
        <source>layer inputs MB</source>
        <translation>层输入 MB</translation>
    </message>
    <message>
        <source>processor computes %</source>
        <translation>处理器计算 %</translation>
    </message>
    <message>
        <source>load only</source>
        <translation>仅加载</translation>
    </message>
    <message>
        <source>recompute only</source>
        <translation>仅重算</translation>
    </message>
    <message>
        <source>split</source>
        <translation>拆分</translation>
    </message>
    <message>
        <source>KV transfer %</source>
        <translation>KV 传输 %</translation>
    </message>
    <message>
        <source>layer inputs %</source>
        <translation>层输入 %</translation>
    </message>
    <message>
        <source>GPU computation %</source>
        <translation>GPU 计算 %</translation>
    </message>
    <message>
        <source>GPU utilization %</source>
        <translation>GPU 利用率 %</translation>
    </message>
    <message>
        <source>generated token</source>
        <translation>生成的 token</translation>
    </message>
    <message>
        <source>tokens offloaded</source>
        <translation>卸载的 token</translation>
    </message>
    <message>
        <source>recomputed</source>
        <translation>重算</translation>
    </message>
    <message>
        <source>predicted ms</source>
        <translation>预测 ms</translation>
    </message>
    <message>
        <source>measured ms</source>
        <translation>实测 ms</translation>
    </message>
    <message>
        <source>load only ms</source>
        <translation>仅加载 ms</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>link ms</source>
        <translation>链路 ms</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>批</translation>
    </message>
    <message>
        <source>throughput gain %</source>
        <translation>吞吐量提升 %</translation>
    </message>
    <message>
        <source>recomputed tokens</source>
        <translation>重算的 token</translation>
    </message>
    <message>
        <source>predicted split tokens/s</source>
        <translation>预测拆分 token/s</translation>
    </message>
    <message>
        <source>predicted MB</source>
        <translation>预测 MB</translation>
    </message>
    <message>
        <source>link busy %</source>
        <translation>链路忙碌 %</translation>
    </message>
    <message>
        <source>processor busy %</source>
        <translation>处理器忙碌 %</translation>
    </message>
    <message>
        <source>link traffic MB</source>
        <translation>链路流量 MB</translation>
    </message>
    <message>
        <source>lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>from ms</source>
        <translation>从 ms</translation>
    </message>
    <message>
        <source>to ms</source>
        <translation>到 ms</translation>
    </message>
    <message>
        <source>ms since the start of the step</source>
        <translation>自步骤开始起的 ms</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>layer inputs</source>
        <translation>层输入</translation>
    </message>
    <message>
        <source>keys and values</source>
        <translation>键和值</translation>
    </message>
    <message>
        <source>recomputed keys and values</source>
        <translation>重算的键和值</translation>
    </message>
    <message>
        <source>unquantized</source>
        <translation>未量化</translation>
    </message>
    <message>
        <source>4 bits</source>
        <translation>4 位</translation>
    </message>
    <message>
        <source>keys and values MB/step</source>
        <translation>键和值 MB/步</translation>
    </message>
    <message>
        <source>layer inputs MB/step</source>
        <translation>层输入 MB/步</translation>
    </message>
    <message>
        <source>on the tier MB</source>
        <translation>层级上 MB</translation>
    </message>
    <message>
        <source>matching tokens %</source>
        <translation>相同 token %</translation>
    </message>
    <message>
        <source>load only (FlexGen)</source>
        <translation>仅加载（FlexGen）</translation>
    </message>
    <message>
        <source>split after all weights</source>
        <translation>在全部权重之后的拆分</translation>
    </message>
    <message>
        <source>split after W_K and W_V</source>
        <translation>在 W_K 和 W_V 之后的拆分</translation>
    </message>
    <message>
        <source>weights MB/step</source>
        <translation>权重 MB/步</translation>
    </message>
    <message>
        <source>KVPR without hiding</source>
        <translation>KVPR，不隐藏</translation>
    </message>
    <message>
        <source>KVPR with hiding</source>
        <translation>KVPR，隐藏</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>workload</source>
        <translation>工作负载</translation>
    </message>
    <message>
        <source>quality metric</source>
        <translation>质量指标</translation>
    </message>
    <message>
        <source>command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>max concurrency</source>
        <translation>最大并发数</translation>
    </message>
    <message>
        <source>profile questions per context</source>
        <translation>每个上下文的剖析问题数</translation>
    </message>
    <message>
        <source>requests per run</source>
        <translation>每次运行的请求数</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>methods</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>balance</source>
        <translation>平衡</translation>
    </message>
    <message>
        <source>budgets</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>fast tier</source>
        <translation>快速层级</translation>
    </message>
    <message>
        <source>slow tier</source>
        <translation>慢速层级</translation>
    </message>
    <message>
        <source>min quality</source>
        <translation>最低质量</translation>
    </message>
    <message>
        <source>mean inter-token latency bound s</source>
        <translation>平均 token 间延迟界限 s</translation>
    </message>
    <message>
        <source>unloaded inter-token latency s</source>
        <translation>无负载 token 间延迟 s</translation>
    </message>
    <message>
        <source>recompute us/token</source>
        <translation>重算 us/token</translation>
    </message>
    <message>
        <source>rest of a layer ms</source>
        <translation>一层的其余部分 ms</translation>
    </message>
    <message>
        <source>generated tokens</source>
        <translation>生成的 token</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个 token</translation>
    </message>
    <message>
        <source>%1 tokens, %2 generated</source>
        <translation>%1 个 token，生成 %2 个</translation>
    </message>
    <message>
        <source>%1 tokens, %2 generated, %3 sequences</source>
        <translation>%1 个 token，生成 %2 个，%3 个序列</translation>
    </message>
    <message>
        <source>hidden %1</source>
        <translation>隐藏维度 %1</translation>
    </message>
    <message>
        <source>full cache, pages of %1</source>
        <translation>完整缓存，每页 %1</translation>
    </message>
    <message>
        <source>%1, %2 % of the prompt, %3, pages of %4</source>
        <translation>%1，提示的 %2 %，%3，每页 %4</translation>
    </message>
    <message>
        <source>blocks of the pool</source>
        <translation>池的块</translation>
    </message>
    <message>
        <source>%1, seed %2</source>
        <translation>%1，种子 %2</translation>
    </message>
    <message>
        <source>%1, %2 requests/s</source>
        <translation>%1，%2 请求/s</translation>
    </message>
    <message>
        <source>%1, %2 % of the bytes</source>
        <translation>%1，%2 % 字节</translation>
    </message>
    <message>
        <source>%1, alpha %2 s</source>
        <translation>%1，alpha %2 s</translation>
    </message>
    <message>
        <source>must be 0 or greater; it is %1</source>
        <translation>必须大于或等于 0；现为 %1</translation>
    </message>
    <message>
        <source>is above a billion seconds per unit of quality; choose a smaller one</source>
        <translation>超过每单位质量十亿秒；请选择更小的值</translation>
    </message>
    <message>
        <source>its name is &apos;archive&apos;; leave the name out</source>
        <translation>其名称为“archive”；请省略名称</translation>
    </message>
    <message>
        <source>keeps every original and has no budget; leave budget_bytes out</source>
        <translation>保存所有原件，没有预算；请省略 budget_bytes</translation>
    </message>
    <message>
        <source>serves no requests, so throttling has no effect; leave it out</source>
        <translation>不服务请求，因此限速没有效果；请省略</translation>
    </message>
    <message>
        <source>holds the originals of all entries, so faults cannot be injected there; leave them out</source>
        <translation>保存所有条目的原件，因此不能在其中注入故障；请省略</translation>
    </message>
    <message>
        <source>the list is empty; name at least one, fastest first</source>
        <translation>列表为空；请至少指定一个，最快的在前</translation>
    </message>
    <message>
        <source>a tier has no name; give it one</source>
        <translation>有一个层级没有名称；请为它命名</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is given twice; remove one</source>
        <translation>“%1”给出了两次；请去掉一个</translation>
    </message>
    <message>
        <source>&apos;%1&apos; has no budget (budget_bytes 0); give the bytes it may hold, or leave the tier out</source>
        <translation>“%1”没有预算（budget_bytes 0）；请给出它可保存的字节数，或省略该层级</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is unlimited, so nothing would reach the tiers after it; give it a budget, or make it the last</source>
        <translation>“%1”没有上限，因此不会有内容到达其后的层级；请给它预算，或把它放在最后</translation>
    </message>
    <message>
        <source>the list is empty; name at least one, e.g. none</source>
        <translation>列表为空；请至少指定一个，例如 none</translation>
    </message>
    <message>
        <source>the list is empty; give at least one, e.g. 0.5</source>
        <translation>列表为空；请至少给出一个，例如 0.5</translation>
    </message>
    <message>
        <source>the list has %1 elements, more than %2; shorten it</source>
        <translation>列表有 %1 个元素，多于 %2 个；请缩短</translation>
    </message>
    <message>
        <source>%1 is not from 0 up to but not including 1; correct it</source>
        <translation>%1 不在 0（含）到 1（不含）之间；请改正</translation>
    </message>
    <message>
        <source>%1 is given twice; remove one</source>
        <translation>%1 给出了两次；请去掉一个</translation>
    </message>
    <message>
        <source>%1 is not from 1 to %2; correct it</source>
        <translation>%1 不在 1 到 %2 之间；请改正</translation>
    </message>
    <message>
        <source>%1 is more than a run can have; give at most %2</source>
        <translation>%1 超过一次运行的上限；请最多给出 %2</translation>
    </message>
    <message>
        <source>is empty; name one, e.g. token_f1</source>
        <translation>为空；请指定一个，例如 token_f1</translation>
    </message>
    <message>
        <source>&apos;none&apos; is always an option; leave it out</source>
        <translation>“none”始终是一个选项；请省略</translation>
    </message>
    <message>
        <source>are measured by answers, and &apos;%1&apos; compares predictions; choose another metric, like token_f1, or empty the list</source>
        <translation>按回答测量，而“%1”比较的是预测；请选择其他指标（如 token_f1），或清空列表</translation>
    </message>
    <message>
        <source>planned chooses from decode_options, which is empty; give it a list such as paged_eviction(budget=25%)</source>
        <translation>planned 从 decode_options 中选择，而它为空；请给出列表，例如 paged_eviction(budget=25%)</translation>
    </message>
    <message>
        <source>policy &apos;%1&apos;: method &apos;%2&apos; removes no tokens, so no context can be stored with %3 of them removed; %4, or give a method that removes some, like knorm</source>
        <translation>策略“%1”：方法“%2”不移除 token，因此无法以移除 %3 的形式存储上下文；%4，或指定会移除 token 的方法，例如 knorm</translation>
    </message>
    <message>
        <source>write fixed(%1,0)</source>
        <translation>请写 fixed(%1,0)</translation>
    </message>
    <message>
        <source>keep every token with kept=1</source>
        <translation>请用 kept=1 保留每个 token</translation>
    </message>
    <message>
        <source>unknown policy &apos;%1&apos;; did you mean &apos;%2&apos;?</source>
        <translation>策略“%1”未知；是否想写“%2”？</translation>
    </message>
    <message>
        <source>unknown policy &apos;%1&apos;; choose one of %2</source>
        <translation>策略“%1”未知；请从中选择：%2</translation>
    </message>
    <message>
        <source>policy &apos;%1&apos;: arguments not understood; write %2</source>
        <translation>策略“%1”：无法理解参数；请写成 %2</translation>
    </message>
    <message>
        <source>policy &apos;%1&apos;: arguments not understood; write %2, e.g. %3</source>
        <translation>策略“%1”：无法理解参数；请写成 %2，例如 %3</translation>
    </message>
    <message>
        <source>policy &apos;%1&apos;: option &apos;%2&apos; is given twice; give it once</source>
        <translation>策略“%1”：选项“%2”给出了两次；请只给一次</translation>
    </message>
    <message>
        <source>policy &apos;%1&apos;: %2</source>
        <translation>策略“%1”：%2</translation>
    </message>
    <message>
        <source>ends without &apos;)&apos;; add it</source>
        <translation>末尾缺少“)”；请补上</translation>
    </message>
    <message>
        <source>parentheses do not balance; close each one that is open</source>
        <translation>括号不匹配；请关闭每个打开的括号</translation>
    </message>
    <message>
        <source>unknown method &apos;%1&apos;; did you mean &apos;%2&apos;?</source>
        <translation>方法“%1”：未知；是否想写“%2”？</translation>
    </message>
    <message>
        <source>method &apos;%1&apos;: takes no inner method; not of the form %2(parameter=value,...), e.g. snapkv(window=32)</source>
        <translation>方法“%1”：内部不能有方法；不是 %2(parameter=value,...) 的形式；请写成 snapkv(window=32) 这样</translation>
    </message>
    <message>
        <source>method &apos;%1&apos;: needs an inner method; give it one, e.g. %2</source>
        <translation>方法“%1”：内部没有方法；请给它一个，例如 %2</translation>
    </message>
    <message>
        <source>method &apos;%1&apos;: %2</source>
        <translation>方法“%1”：%2</translation>
    </message>
    <message>
        <source>not understood at character %1; write a name like snapkv, adakv(snapkv) or snapkv+kivi4</source>
        <translation>第 %1 个字符处无法理解；请写成 snapkv、adakv(snapkv) 或 snapkv+kivi4 这样的名称</translation>
    </message>
    <message>
        <source>unknown codec &apos;%1&apos;; choose one of %2</source>
        <translation>编码“%1”：未知；请从中选择：%2</translation>
    </message>
    <message>
        <source>unknown codec &apos;%1&apos;; did you mean &apos;%2&apos;?</source>
        <translation>编码“%1”：未知；是否想写“%2”？</translation>
    </message>
    <message>
        <source>codec &apos;%1&apos;: zstd comes last, as in kivi4+zstd</source>
        <translation>编码“%1”：zstd 放在最后，如 kivi4+zstd</translation>
    </message>
    <message>
        <source>codec &apos;%1&apos;: only zstd can follow another codec</source>
        <translation>编码“%1”：只有 zstd 能跟在其他编码之后</translation>
    </message>
    <message>
        <source>a &apos;+&apos; needs a method before it and a codec after it; write it like snapkv+kivi4</source>
        <translation>“+”之前需要方法，之后需要编码；请写成 snapkv+kivi4 的形式</translation>
    </message>
    <message>
        <source>unknown parameter &apos;%1&apos;; did you mean &apos;%2&apos;?</source>
        <translation>未知参数“%1”；是否想写“%2”？</translation>
    </message>
    <message>
        <source>unknown parameter &apos;%1&apos;; it has %2</source>
        <translation>未知参数“%1”；可用参数为 %2</translation>
    </message>
    <message>
        <source>takes no parameters; remove &apos;%1&apos;</source>
        <translation>没有参数；请去掉“%1”</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is given twice; keep one</source>
        <translation>“%1”给出了两次；请保留一个</translation>
    </message>
    <message>
        <source>&apos;%1&apos;: not a number; give one like %2</source>
        <translation>“%1”：不是数字；请给出类似 %2 的数字</translation>
    </message>
    <message>
        <source>&apos;%1&apos;: of another type; give a value like %2</source>
        <translation>“%1”：类型不符；请给出类似 %2 的值</translation>
    </message>
    <message>
        <source>%1 is out of range; give a number from %2 to %3</source>
        <translation>%1 超出范围；请给出 %2 到 %3 之间的数</translation>
    </message>
    <message>
        <source>not of the form name(parameter=value,...); write it like snapkv(window=32)</source>
        <translation>不是 name(parameter=value,...) 的形式；请写成 snapkv(window=32) 这样</translation>
    </message>
    <message>
        <source>not of the form name or name(parameter=value,...); write it like lru or snapkv(window=32)</source>
        <translation>不是 name 或 name(parameter=value,...) 的形式；请写成 lru 或 snapkv(window=32) 这样</translation>
    </message>
    <message>
        <source>names are written in lower case; did you mean &apos;%1&apos;?</source>
        <translation>名称用小写；是否想写“%1”？</translation>
    </message>
    <message>
        <source>unknown kind &apos;%1&apos;; write kind= and one of %2</source>
        <translation>类型“%1”未知；请写 kind= 和其中之一：%2</translation>
    </message>
    <message>
        <source>unknown option &apos;%1&apos;; known are %2</source>
        <translation>未知选项“%1”；已知选项：%2</translation>
    </message>
    <message>
        <source>a tier has a %1 or a %2, not both; leave one out</source>
        <translation>一个层级只能有 %1 或 %2 之一；请省略其一</translation>
    </message>
    <message>
        <source>faults apply to files, and %1 has none; give them to a tier in a folder, like %2</source>
        <translation>故障作用于文件，而%1没有文件；请用于文件夹中的层级，例如 %2</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a percentage above 0 and up to 1000000 of the workload&apos;s uncompressed KV; write it like 40%</source>
        <translation>“%1”不是工作负载未压缩 KV 的百分比（大于 0，最多 1000000）；请写成 40% 的形式</translation>
    </message>
    <message>
        <source>tier &apos;%1&apos;: %2 names a file or folder of this machine, which a file must not choose; give this tier with --tier, or leave that out</source>
        <translation>层级“%1”：%2指定了本机的文件或文件夹，而文件不得作此选择；请用 --tier 给出该层级，或去掉这一项</translation>
    </message>
    <message>
        <source>?ca= of its url</source>
        <translation>其 url 的 ?ca=</translation>
    </message>
    <message>
        <source>budget is zero; give the bytes that it may hold, or leave the tier out</source>
        <translation>预算为零；请给出它可保存的字节数，或省略该层级</translation>
    </message>
    <message>
        <source>faults: &apos;%1&apos;: %2</source>
        <translation>faults：“%1”：%2</translation>
    </message>
    <message>
        <source>its probability is not a number above 0 up to 1; write it like 0.01</source>
        <translation>其概率不是大于 0 且不超过 1 的数；请写成 0.01 的形式</translation>
    </message>
    <message>
        <source>with probability 0 it never occurs; leave it out</source>
        <translation>概率为 0 时从不发生；请省略</translation>
    </message>
    <message>
        <source>its time is %1; write it like 20ms@0.1</source>
        <translation>其时间为 %1；请写成 20ms@0.1 的形式</translation>
    </message>
    <message>
        <source>a delay is at most 10 s; give a shorter one</source>
        <translation>延迟最多 10 s；请给出更短的</translation>
    </message>
    <message>
        <source>holds nothing; give the bytes that fit, like 64MiB</source>
        <translation>不能保存任何内容；请给出可容纳的字节数，例如 64MiB</translation>
    </message>
    <message>
        <source>is not a whole number; write it like seed:7</source>
        <translation>不是整数；请写成 seed:7 的形式</translation>
    </message>
    <message>
        <source>is not a kind of fault; known are %1</source>
        <translation>不是故障类型；已知类型：%1</translation>
    </message>
    <message>
        <source>is not a kind of fault; did you mean &apos;%1&apos;?</source>
        <translation>不是故障类型；是否想写“%1”？</translation>
    </message>
    <message>
        <source>is not KIND:PROBABILITY; write faults like flip_on_read:0.01+delay:20ms@0.1+seed:7</source>
        <translation>不是 KIND:PROBABILITY 的形式；请把故障写成 flip_on_read:0.01+delay:20ms@0.1+seed:7 的形式</translation>
    </message>
    <message>
        <source>is given twice; remove one</source>
        <translation>给出了两次；请去掉一个</translation>
    </message>
    <message>
        <source>sets both delays; remove delay_on_read and delay_on_write</source>
        <translation>已包含两种延迟；请省略 delay_on_read 和 delay_on_write</translation>
    </message>
    <message>
        <source>names no fault; add one, like flip_on_read:0.01, or leave faults out</source>
        <translation>没有指定故障；请添加一个，例如 flip_on_read:0.01，或省略 faults</translation>
    </message>
    <message>
        <source>settings: %1 tiers given, but this session runs with %2; tiers are chosen at the start</source>
        <translation>settings：给出了 %1 个层级，但本会话运行 %2 个；层级在启动时选定</translation>
    </message>
    <message>
        <source>settings: tier &apos;%1&apos; is not in this session</source>
        <translation>settings：层级“%1”不在本会话中</translation>
    </message>
    <message>
        <source>settings: archive: is chosen at the start and cannot change</source>
        <translation>settings：archive：在启动时选定，不能更改</translation>
    </message>
    <message>
        <source>a recorded run cannot change; re-run it with &apos;run --from %1&apos; to change its settings</source>
        <translation>已记录的运行不能更改；请用“run --from %1”重新执行以更改其设置</translation>
    </message>
    <message>
        <source>closed while loading</source>
        <translation>加载时已关闭</translation>
    </message>
    <message>
        <source>%1: holds no event, so there is nothing to replay; choose another run</source>
        <translation>%1：不含事件，因此没有可回放的内容；请选择其他运行</translation>
    </message>
    <message>
        <source>no recorded run &apos;%1&apos;; choose another run</source>
        <translation>没有已记录的运行“%1”；请选择其他运行</translation>
    </message>
    <message>
        <source>keep map: context &apos;%1&apos; is not in this workload; choose one of its contexts</source>
        <translation>保留图：上下文“%1”不在此工作负载中；请选择其中的一个上下文</translation>
    </message>
    <message>
        <source>keep map: context &apos;%1&apos; needs %2 of KV blocks besides those for serving, but there are %3; choose a shorter context</source>
        <translation>保留图：上下文“%1”在服务所用之外还需要 %2 的 KV 块，但只有 %3；请选择更短的上下文</translation>
    </message>
    <message>
        <source>keep map: the engine has ended; open the workload again</source>
        <translation>保留图：引擎已结束；请重新打开工作负载</translation>
    </message>
    <message>
        <source>pool walk: %1</source>
        <translation>池演示：%1</translation>
    </message>
    <message>
        <source>eviction method &apos;%1&apos; needs a model&apos;s queries; give streaming_llm, knorm, keydiff or paged_eviction</source>
        <translation>驱逐方法“%1”需要模型的查询；请给出 streaming_llm、knorm、keydiff 或 paged_eviction</translation>
    </message>
    <message>
        <source>blocks of %1 tokens; give a multiple of 4, at most 256</source>
        <translation>块为 %1 个 token；请给出 4 的倍数，最多 256</translation>
    </message>
    <message>
        <source>give a prompt of at least 1 token; prompt and answer together at most 4096</source>
        <translation>提示至少 1 个 token，总共最多 4096 个 token</translation>
    </message>
    <message>
        <source>give a budget of at least 8 tokens, and at least 1 step between passes</source>
        <translation>预算至少为 8 个 token，两遍压实至少相隔 1 步</translation>
    </message>
    <message>
        <source>Its figures 1, 5 and 6 are pictures of a pool: step through them in the Pool dock.</source>
        <translation>其图 1、5 和 6 是缓存池的示意图：可在“缓存池”停靠窗中逐步查看。</translation>
    </message>
    <message>
        <source>KV cache token eviction and compaction</source>
        <translation>KV 缓存 token 驱逐与压实</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>工作负载</translation>
    </message>
    <message>
        <source>Folder of a workload, or the name of one; throttled tiers make figures of different machines comparable</source>
        <translation>工作负载的文件夹，或示例的名称；限速层级使不同机器的图表可以比较</translation>
    </message>
    <message>
        <source>Methods</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>the workload&apos;s candidates</source>
        <translation>工作负载的候选项</translation>
    </message>
    <message>
        <source>Compression methods as text forms, comma-separated: keydiff, knorm+kivi4, ...</source>
        <translation>文本形式的压缩方法，以逗号分隔：keydiff, knorm+kivi4, ...</translation>
    </message>
    <message>
        <source>Removed fractions</source>
        <translation>移除比例</translation>
    </message>
    <message>
        <source>Fractions of a context&apos;s tokens that are removed, comma-separated, each above 0 and below 1</source>
        <translation>从上下文中移除的 token 比例，以逗号分隔，每个大于 0 且小于 1</translation>
    </message>
    <message>
        <source>Budgets</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Alphas (s)</source>
        <translation>Alpha 值（s）</translation>
    </message>
    <message>
        <source>Seconds of TTFT that a unit of quality is worth, comma-separated; each is a run of every policy that uses alpha</source>
        <translation>一单位质量值多少秒 TTFT，以逗号分隔；每个值对每个使用 alpha 的策略各运行一次</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Rates (1/s)</source>
        <translation>速率（1/s）</translation>
    </message>
    <message>
        <source>Requests per second, Poisson arrivals</source>
        <translation>每秒请求数，泊松到达</translation>
    </message>
    <message>
        <source>Max concurrency</source>
        <translation>最大并发数</translation>
    </message>
    <message>
        <source>Maximum concurrent requests</source>
        <translation>最大并发请求数</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Request sequences; every policy serves each of them</source>
        <translation>请求序列；每个策略都服务其中的每一个</translation>
    </message>
    <message>
        <source>Requests per run</source>
        <translation>每次运行的请求数</translation>
    </message>
    <message>
        <source>as many as the workload has</source>
        <translation>与工作负载的请求数相同</translation>
    </message>
    <message>
        <source>Measured requests per run, after one warm-up request per context</source>
        <translation>每次运行的实测请求数，在每个上下文一个预热请求之后</translation>
    </message>
    <message>
        <source>compression only, eviction only, both together: two caches, two tiers</source>
        <translation>仅压缩、仅驱逐、两者结合：两个缓存，两个层级</translation>
    </message>
    <message>
        <source>The paper&apos;s worked example, computed with KVantage&apos;s own policies: a 4 GB cache that compresses to 5 % without loss, an 8 GB cache that loses quality under any compression, a fast tier of 8 GB at 20 GB/s, and a slow tier at 2 GB/s.</source>
        <translation>论文的示例，用 KVantage 自己的策略计算：一个 4 GB 的缓存，可无损压缩到 5 %；一个 8 GB 的缓存，任何压缩都会损失质量；一个 8 GB、20 GB/s 的快速层级，一个 2 GB/s 的慢速层级。</translation>
    </message>
    <message>
        <source>Compression only is fastest but loses quality; eviction only keeps full quality but is slow; both together keep full quality and are nearly as fast.</source>
        <translation>仅压缩最快但损失质量；仅驱逐保持完整质量但慢；两者结合保持完整质量，且几乎同样快。</translation>
    </message>
    <message>
        <source>total TTFT 0.3, 2.4 and 0.5 s at a quality of 75, 100 and 100 %</source>
        <translation>总 TTFT 为 0.3、2.4 和 0.5 s，质量为 75、100 和 100 %</translation>
    </message>
    <message>
        <source>quality drop of each context under the same compression</source>
        <translation>相同压缩下各上下文的质量下降</translation>
    </message>
    <message>
        <source>Measures the quality curves of all contexts and compares their relative quality drop at one method and removed fraction, by family.</source>
        <translation>测量所有上下文的质量曲线，并按族比较一种方法在一个移除比例下的相对质量下降。</translation>
    </message>
    <message>
        <source>Drops vary widely: some contexts tolerate a compression that severely degrades others. They vary less within a family than between families.</source>
        <translation>下降差异很大：有些上下文能承受的压缩会使另一些严重退化。族内的差异小于族间的差异。</translation>
    </message>
    <message>
        <source>medians of six datasets from 0.340 (NarrativeQA) to 0.759 (Qasper), coefficients of variation within a dataset from 0.078 to 0.394</source>
        <translation>六个数据集的中位数从 0.340（NarrativeQA）到 0.759（Qasper），数据集内的变异系数从 0.078 到 0.394</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Removed fraction</source>
        <translation>移除比例</translation>
    </message>
    <message>
        <source>the method with the smallest quality drop for each context</source>
        <translation>各上下文质量下降最小的方法</translation>
    </message>
    <message>
        <source>For each context, the method with the smallest quality drop at one removed fraction. Ties are split evenly and counted.</source>
        <translation>对每个上下文，取在一个移除比例下质量下降最小的方法。并列者均分并计数。</translation>
    </message>
    <message>
        <source>No method is best for all: several lead for a substantial share of the contexts, regardless of their length.</source>
        <translation>没有一种方法对所有上下文都最好：有几种方法各自在相当一部分上下文上领先，与长度无关。</translation>
    </message>
    <message>
        <source>kvzip 40.3 %, knorm 40.0 %, snapkv 19.7 % of the contexts; their lengths overlap</source>
        <translation>kvzip 占 40.3 %、knorm 占 40.0 %、snapkv 占 19.7 % 的上下文；它们的长度有重叠</translation>
    </message>
    <message>
        <source>removed fraction with the best balance of quality and TTFT</source>
        <translation>质量与 TTFT 最平衡的移除比例</translation>
    </message>
    <message>
        <source>For each context, the removed fraction that maximizes quality / uncompressed quality - TTFT / uncompressed TTFT on the slowest tier. Times are predicted from that tier&apos;s fit.</source>
        <translation>对每个上下文，取在最慢层级上使“质量 / 未压缩质量 - TTFT / 未压缩 TTFT”最大的移除比例。时间由该层级的拟合预测。</translation>
    </message>
    <message>
        <source>The best fraction differs between families and between contexts of one family.</source>
        <translation>最佳比例因族而异，同一族的上下文之间也不同。</translation>
    </message>
    <message>
        <source>it differs between datasets and between contexts of one dataset: coefficients of variation from 0.068 to 0.806</source>
        <translation>因数据集而异，同一数据集的上下文之间也不同：变异系数从 0.068 到 0.806</translation>
    </message>
    <message>
        <source>TTFT against quality, all families together</source>
        <translation>TTFT 与质量，所有族合计</translation>
    </message>
    <message>
        <source>At equal quality, evicpress is faster than every fixed configuration + LRU and than IMPRESS. Near full quality, it is faster than prefill and LRU.</source>
        <translation>在同等质量下，evicpress 都比每种固定配置 + LRU 和 IMPRESS 更快。接近完整质量时，它比预填充和 LRU 更快。</translation>
    </message>
    <message>
        <source>against fixed compression with LRU 1.43 - 3.77 times lower TTFT at equal quality and 13.58 - 55.40 % more quality at equal TTFT; against IMPRESS 1.5 - 5.2 times and 14.29 - 27.00 %; within 3 % of full quality 1.29 - 2.19 times faster than prefill and 1.22 - 1.56 times than LRU alone</source>
        <translation>与固定压缩加 LRU 相比，同等质量下 TTFT 低 1.43 - 3.77 倍，同等 TTFT 下质量高 13.58 - 55.40 %；与 IMPRESS 相比为 1.5 - 5.2 倍和 14.29 - 27.00 %；在完整质量的 3 % 以内，比预填充快 1.29 - 2.19 倍，比单用 LRU 快 1.22 - 1.56 倍</translation>
    </message>
    <message>
        <source>TTFT and inter-token latency against request rate</source>
        <translation>TTFT 和 token 间延迟与请求速率</translation>
    </message>
    <message>
        <source>evicpress sustains a higher rate than any other policy before requests queue.</source>
        <translation>在请求开始排队之前，evicpress 能维持比任何其他策略更高的速率。</translation>
    </message>
    <message>
        <source>at a quality of 0.8 2.0 - 3.6 times the rate of the best baseline at equal TTFT, 1.9 - 3.4 times at equal inter-token latency</source>
        <translation>质量为 0.8 时，同等 TTFT 下为最佳基线速率的 2.0 - 3.6 倍，同等 token 间延迟下为 1.9 - 3.4 倍</translation>
    </message>
    <message>
        <source>TTFT bound (s)</source>
        <translation>TTFT 界限（s）</translation>
    </message>
    <message>
        <source>Inter-token bound (s)</source>
        <translation>token 间延迟界限（s）</translation>
    </message>
    <message>
        <source>Bound on the mean inter-token latency, in seconds</source>
        <translation>平均 token 间延迟的界限，单位秒</translation>
    </message>
    <message>
        <source>Minimum quality</source>
        <translation>最低质量</translation>
    </message>
    <message>
        <source>Minimum mean quality, 0 to 1</source>
        <translation>最低平均质量，0 到 1</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>requests served by each tier, and quality</source>
        <translation>各层级服务的请求，及质量</translation>
    </message>
    <message>
        <source>At equal or higher quality more requests are served by the fast tier than under fixed configurations.</source>
        <translation>在质量相同或更高时，由快速层级服务的请求多于固定配置。</translation>
    </message>
    <message>
        <source>evicpress hits the fast tier more often at higher quality; the slow tier less often</source>
        <translation>evicpress 以更高的质量更常命中快速层级；慢速层级则更少</translation>
    </message>
    <message>
        <source>quality and latency over time, with and without re-profiling</source>
        <translation>有无重新剖析时质量和延迟随时间的变化</translation>
    </message>
    <message>
        <source>Without re-profiling, quality falls with the drift and stays low; with it, quality recovers, and latency rises only while profiling runs.</source>
        <translation>没有重新剖析时，质量随漂移下降并保持在低位；有重新剖析时，质量恢复，延迟仅在剖析期间上升。</translation>
    </message>
    <message>
        <source>with re-profiling, quality rises over time by about 11 %; latency rises briefly while profiling runs (Azure arrivals, threshold 0.3, one profiling question per context)</source>
        <translation>有重新剖析时，质量随时间上升约 11 %；剖析期间延迟短暂上升（Azure 到达，阈值 0.3，每个上下文一个剖析问题）</translation>
    </message>
    <message>
        <source>Rate (1/s)</source>
        <translation>速率（1/s）</translation>
    </message>
    <message>
        <source>Profile questions</source>
        <translation>剖析问题数</translation>
    </message>
    <message>
        <source>methods and removed fractions chosen on each tier</source>
        <translation>各层级上选择的方法和移除比例</translation>
    </message>
    <message>
        <source>Several methods at many removed fractions are in use, and slower tiers hold more strongly compressed caches.</source>
        <translation>使用了多种方法和许多移除比例，较慢的层级保存压缩更强的缓存。</translation>
    </message>
    <message>
        <source>a broad mix; slower tiers hold more strongly compressed caches; keydiff is chosen most often, the others for a substantial share of the contexts</source>
        <translation>种类繁多；较慢的层级保存压缩更强的缓存；keydiff 最常被选用，其他方法也占相当一部分上下文</translation>
    </message>
    <message>
        <source>TTFT against quality by family</source>
        <translation>各族的 TTFT 与质量</translation>
    </message>
    <message>
        <source>Ahead of the fixed configurations in nearly every family.</source>
        <translation>几乎在每个族中都领先于固定配置。</translation>
    </message>
    <message>
        <source>better than keydiff with LRU on 11 of 12 datasets, by most on short contexts</source>
        <translation>在 12 个数据集中的 11 个上优于 keydiff 加 LRU，在短上下文上优势最大</translation>
    </message>
    <message>
        <source>figures 7, 9, 11 and 12 from the same runs</source>
        <translation>来自相同运行的图 7、9、11 和 12</translation>
    </message>
    <message>
        <source>See evicpress/fig7, evicpress/fig9, evicpress/fig11 and evicpress/fig12.</source>
        <translation>见 evicpress/fig7、evicpress/fig9、evicpress/fig11 和 evicpress/fig12。</translation>
    </message>
    <message>
        <source>see evicpress/fig7, evicpress/fig9, evicpress/fig11 and evicpress/fig12</source>
        <translation>见 evicpress/fig7、evicpress/fig9、evicpress/fig11 和 evicpress/fig12</translation>
    </message>
    <message>
        <source>limits of joint decisions</source>
        <translation>联合决策的局限</translation>
    </message>
    <message>
        <source>LRU, fixed configurations and evicpress with all budget in DRAM, with abundant DRAM, with tiers of equal bandwidth, and with the bandwidth cut to a quarter halfway through the run.</source>
        <translation>LRU、固定配置和 evicpress：全部预算在 DRAM 中、DRAM 充足、各层级带宽相等，以及运行中途带宽降为四分之一。</translation>
    </message>
    <message>
        <source>The advantage shrinks when everything fits into the fast tier, and when tiers have similar bandwidth.</source>
        <translation>当一切都能放入快速层级，或各层级带宽相近时，优势缩小。</translation>
    </message>
    <message>
        <source>with abundant DRAM, and with tiers of similar bandwidth, the advantage diminishes; rapidly changing bandwidth makes decisions suboptimal (section 8, no figures)</source>
        <translation>DRAM 充足，或各层级带宽相近时，优势减弱；带宽快速变化使决策不再最优（第 8 节，无图表）</translation>
    </message>
    <message>
        <source>Rows that a head may hold after an eviction, as a share of the prompt&apos;s tokens</source>
        <translation>驱逐后一个头可保存的行数，占提示 token 的比例</translation>
    </message>
    <message>
        <source>Page (tokens)</source>
        <translation>页（token）</translation>
    </message>
    <message>
        <source>Rows per block of the pool, comma-separated</source>
        <translation>池中每块的行数，以逗号分隔</translation>
    </message>
    <message>
        <source>Eviction methods</source>
        <translation>驱逐方法</translation>
    </message>
    <message>
        <source>Decode-time eviction methods, comma-separated; `kvantage-cli methods` lists them</source>
        <translation>解码时的驱逐方法，以逗号分隔；`kvantage-cli methods` 会列出它们</translation>
    </message>
    <message>
        <source>Ledgers</source>
        <translation>账本数</translation>
    </message>
    <message>
        <source>Contexts, with one question each</source>
        <translation>上下文数，每个一个问题</translation>
    </message>
    <message>
        <source>Context (tokens)</source>
        <translation>上下文（token）</translation>
    </message>
    <message>
        <source>Length of a ledger</source>
        <translation>账本的长度</translation>
    </message>
    <message>
        <source>Answer (tokens)</source>
        <translation>回答（token）</translation>
    </message>
    <message>
        <source>Minimum length of a reference answer, and number of timed decode steps</source>
        <translation>参考回答的最小长度，也是计时的解码步数</translation>
    </message>
    <message>
        <source>Compaction interval (steps)</source>
        <translation>压实间隔（步）</translation>
    </message>
    <message>
        <source>Decoded tokens between compaction passes</source>
        <translation>两遍压实之间解码的 token 数</translation>
    </message>
    <message>
        <source>Seed of the ledgers</source>
        <translation>账本的种子</translation>
    </message>
    <message>
        <source>AdaptCache versus one method and rate for all contexts, Poisson arrivals</source>
        <translation>AdaptCache 与对所有上下文用同一方法和比例的对比，泊松到达</translation>
    </message>
    <message>
        <source>Lower TTFT than any fixed configuration of equal quality, higher quality than any of equal TTFT, and a higher hit rate of the fast tier.</source>
        <translation>TTFT 低于质量相同的任何固定配置，质量高于 TTFT 相同的任何固定配置，快速层级的命中率更高。</translation>
    </message>
    <message>
        <source>Folder of a workload, or the name of a sample</source>
        <translation>工作负载的文件夹，或示例的名称</translation>
    </message>
    <message>
        <source>Seconds of TTFT that a unit of quality is worth, comma-separated</source>
        <translation>一单位质量值多少秒 TTFT，以逗号分隔</translation>
    </message>
    <message>
        <source>prefill, lru, each configuration below + LRU, adaptcache</source>
        <translation>prefill、lru、下列每种配置 + LRU、adaptcache</translation>
    </message>
    <message>
        <source>Policies as text forms, comma-separated</source>
        <translation>文本形式的策略，以逗号分隔</translation>
    </message>
    <message>
        <source>Compression methods as text forms, comma-separated</source>
        <translation>文本形式的压缩方法，以逗号分隔</translation>
    </message>
    <message>
        <source>Fractions of a context&apos;s tokens that StreamingLLM removes: the paper&apos;s rates</source>
        <translation>StreamingLLM 从上下文中移除的 token 比例：论文中的比例</translation>
    </message>
    <message>
        <source>score against cache budget</source>
        <translation>得分与缓存预算</translation>
    </message>
    <message>
        <source>Scores rise with the budget up to the full cache&apos;s; PagedEviction is ahead at small budgets.</source>
        <translation>得分随预算上升，直到完整缓存的得分；预算小时 PagedEviction 领先。</translation>
    </message>
    <message>
        <source>throughput and time per output token against cache budget</source>
        <translation>吞吐量和每输出 token 时间与缓存预算</translation>
    </message>
    <message>
        <source>Page-wise eviction methods are about as fast as StreamingLLM and faster than the full cache; unstructured ones gain little.</source>
        <translation>按页驱逐的方法与 StreamingLLM 大致同样快，且快于完整缓存；非结构化的方法收益很小。</translation>
    </message>
    <message>
        <source>LLaMA-1B, budget 1024: PagedEviction about 3020 tokens/s, StreamingLLM 2920, inverse key L2 and KeyDiff 2170, full cache 2200 (37 % more); time per output token 12, 10 and 11 % below the full cache&apos;s at 1B, 3B and 8B</source>
        <translation>LLaMA-1B，预算 1024：PagedEviction 约 3020 token/s，StreamingLLM 2920，逆键 L2 和 KeyDiff 2170，完整缓存 2200（多 37 %）；1B、3B 和 8B 上每输出 token 时间比完整缓存低 12、10 和 11 %</translation>
    </message>
    <message>
        <source>throughput and score against page size</source>
        <translation>吞吐量和得分与页大小</translation>
    </message>
    <message>
        <source>Page size has little effect on throughput and even less on scores; PagedEviction scores a few percent below the full cache.</source>
        <translation>页大小对吞吐量影响很小，对得分影响更小；PagedEviction 的得分比完整缓存低几个百分点。</translation>
    </message>
    <message>
        <source>up to 3.1 times the full cache&apos;s throughput, close to StreamingLLM at pages of 16 and 32; less than 3 - 5 % of ROUGE lost, where KeyDiff and inverse key L2 lose up to 20 %</source>
        <translation>吞吐量最高为完整缓存的 3.1 倍，页为 16 和 32 时接近 StreamingLLM；ROUGE 损失不到 3 - 5 %，而 KeyDiff 和逆键 L2 最多损失 20 %</translation>
    </message>
    <message>
        <source>every eviction method on long answers at equal budget</source>
        <translation>同等预算下每种驱逐方法在长回答上的表现</translation>
    </message>
    <message>
        <source>Nine eviction methods and Quest&apos;s page selection decode the same ledgers at equal budgets: scores, times, blocks, score buffers.</source>
        <translation>九种驱逐方法和 Quest 的页选择在同等预算下解码相同的账本：得分、时间、块、得分缓冲区。</translation>
    </message>
    <message>
        <source>Eviction methods that use attention weights score best and are slowest; Quest reads fewer rows and frees none.</source>
        <translation>使用注意力权重的驱逐方法得分最高但最慢；Quest 读取的行更少，但不释放任何行。</translation>
    </message>
    <message>
        <source>Qwen3-8B, AIME 2024 at a budget of 2048: full attention 57.1 %, TriAttention 42.1, SnapKV 34.6, R-KV 25.4; AIME 2025: 40.8, 32.9, 20.0, 17.5</source>
        <translation>Qwen3-8B，AIME 2024，预算 2048：完整注意力 57.1 %，TriAttention 42.1，SnapKV 34.6，R-KV 25.4；AIME 2025：40.8、32.9、20.0、17.5</translation>
    </message>
    <message>
        <source>paging overheads: blocks that a paged pool frees, score buffers that fused kernels do not have</source>
        <translation>分页开销：分页池释放的块，融合内核没有的得分缓冲区</translation>
    </message>
    <message>
        <source>Scattered eviction frees nothing until compaction fills the free slots; methods that need attention weights slow prefill down and need buffers.</source>
        <translation>分散的驱逐在压实填补空闲槽位之前不释放任何块；需要注意力权重的方法使预填充变慢，并需要缓冲区。</translation>
    </message>
    <message>
        <source>scattered eviction of 90 % frees 0 of 1000 blocks, repack 900, an aligned block 1, one survivor per block 0; one decode round: repack 18 copies, hole filling 3 for the same block; peak score buffer 16 times smaller when fused</source>
        <translation>分散驱逐 90 % 时，1000 块中释放 0 块，重新打包释放 900 块，对齐的一块释放 1 块，每块留一个幸存者则为 0；一轮解码：重新打包需 18 次拷贝，填补空洞为同一块只需 3 次；融合时峰值得分缓冲区小 16 倍</translation>
    </message>
    <message>
        <source>every method that removes tokens</source>
        <translation>每种移除 token 的方法</translation>
    </message>
    <message>
        <source>Scorers whose cost is measured, comma-separated</source>
        <translation>要测量开销的打分器，以逗号分隔</translation>
    </message>
    <message>
        <source>Length of the ledger that is scored</source>
        <translation>被打分的账本的长度</translation>
    </message>
    <message>
        <source>Minimum length of the ledger&apos;s reference answer</source>
        <translation>账本参考回答的最小长度</translation>
    </message>
    <message>
        <source>Seed of the ledger</source>
        <translation>账本的种子</translation>
    </message>
    <message>
        <source>Without compaction, unstructured eviction frees few blocks; with it, all evicted blocks are freed. Hole filling needs far fewer copies.</source>
        <translation>不压实时，非结构化的驱逐释放很少的块；压实时，所有被驱逐的块都得到释放。填补空洞需要的拷贝少得多。</translation>
    </message>
    <message>
        <source>TriAttention compacts about every 128 decoded tokens; decoding 32K tokens at a budget of 3,072 2.5 times as fast (563.5 against 222.8 tokens/s) with 10.7 times less KV memory</source>
        <translation>TriAttention 约每解码 128 个 token 压实一次；预算 3,072 下解码 32K token 快 2.5 倍（563.5 对 222.8 token/s），KV 内存少 10.7 倍</translation>
    </message>
    <message>
        <source>Model width</source>
        <translation>模型宽度</translation>
    </message>
    <message>
        <source>Hidden size of the random-weight model, a multiple of 64; heads are 64 wide</source>
        <translation>随机权重模型的隐藏维度，64 的倍数；每个头宽 64</translation>
    </message>
    <message>
        <source>Prompt (tokens)</source>
        <translation>提示（token）</translation>
    </message>
    <message>
        <source>Length of the longest prompt, of random tokens</source>
        <translation>最长提示的长度，由随机 token 组成</translation>
    </message>
    <message>
        <source>Generated (tokens)</source>
        <translation>生成（token）</translation>
    </message>
    <message>
        <source>Maximum number of decoded tokens</source>
        <translation>最多解码的 token 数</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Seed of the weights and the prompt</source>
        <translation>权重和提示的种子</translation>
    </message>
    <message>
        <source>Sequences</source>
        <translation>序列数</translation>
    </message>
    <message>
        <source>Maximum batch size</source>
        <translation>最大批大小</translation>
    </message>
    <message>
        <source>weights streamed as well: recomputing after all of them, or after W_K and W_V</source>
        <translation>权重也流式传送：在全部权重之后重算，或在 W_K 和 W_V 之后重算</translation>
    </message>
    <message>
        <source>The split after W_K and W_V is never slower than loading alone, and faster where keys and values dominate.</source>
        <translation>在 W_K 和 W_V 之后的拆分从不慢于仅加载，在键和值占主导时更快。</translation>
    </message>
    <message>
        <source>OPT-6.7B, prompt 256, 64 generated, batch 1 - 32: 1.761 - 41.210 tokens/s (FlexGen), 1.749 - 43.462 (without hiding), 1.774 - 43.945 (with)</source>
        <translation>OPT-6.7B，提示 256，生成 64，批 1 - 32：1.761 - 41.210 token/s（FlexGen），1.749 - 43.462（不隐藏），1.774 - 43.945（隐藏）</translation>
    </message>
    <message>
        <source>decode throughput on a slower machine</source>
        <translation>较慢机器上的解码吞吐量</translation>
    </message>
    <message>
        <source>Half the threads and half the link bandwidth of the other figures; prompts of a quarter, half and all of the length, a quarter and all of the generated tokens, a batch decoded column by column, weights streamed: loading alone (FlexGen) versus the solved split.%1</source>
        <translation>线程和链路带宽均为其他图表的一半；提示为全长的四分之一、一半和全部，生成 token 为四分之一和全部，整批按列解码，权重流式传送：仅加载（FlexGen）与求解的拆分对比。%1</translation>
    </message>
    <message>
        <source>The split decodes more tokens per second at every length.</source>
        <translation>在每个长度下，拆分每秒解码更多 token。</translation>
    </message>
    <message>
        <source>OPT-6.7B on a Quadro RTX 5000 over PCIe 4.0 x8: 6.6 - 15.9 % more tokens/s than FlexGen (table 5)</source>
        <translation>Quadro RTX 5000、PCIe 4.0 x8 上的 OPT-6.7B：比 FlexGen 多 6.6 - 15.9 % token/s（表 5）</translation>
    </message>
    <message>
        <source>the pipeline of a decode step, loading alone and split</source>
        <translation>解码步骤的流水线，仅加载与拆分</translation>
    </message>
    <message>
        <source>Timeline of the last step of a short generation, layer by layer: transfers of weights, layer inputs, keys and values over the link; recomputation of keys and values and the layer itself on the processor. Weights are streamed, W_K and W_V first.%1</source>
        <translation>一次短生成的最后一步的逐层时间线：链路上权重、层输入、键和值的传送；处理器上键和值的重算以及该层的计算。权重流式传送，W_K 和 W_V 在先。%1</translation>
    </message>
    <message>
        <source>Recomputing keys and values overlaps with loading the others, and the processor stalls less.</source>
        <translation>重算键和值与加载其余部分重叠，处理器停顿更少。</translation>
    </message>
    <message>
        <source>A drawing of the two pipelines (figure 3), without numbers</source>
        <translation>两种流水线的示意图（图 3），没有数字</translation>
    </message>
    <message>
        <source>decode throughput against length and batch, column by column</source>
        <translation>按列解码时吞吐量随长度和批的变化</translation>
    </message>
    <message>
        <source>The split has higher throughput everywhere. Its gain grows with the batch, as keys and values then outweigh the matrices.</source>
        <translation>拆分在各处的吞吐量都更高。批越大收益越多，因为此时键和值超过矩阵。</translation>
    </message>
    <message>
        <source>Up to 15.1, 46.2 and 29.0 % more tokens/s than FlexGen with OPT-6.7B, 13B and 30B; more with larger batches (figure 6)</source>
        <translation>OPT-6.7B、13B 和 30B 分别比 FlexGen 最多多 15.1、46.2 和 29.0 % token/s；批越大越多（图 6）</translation>
    </message>
    <message>
        <source>decode latency and throughput against prompt and generation length</source>
        <translation>解码延迟和吞吐量随提示长度和生成长度的变化</translation>
    </message>
    <message>
        <source>Prompts of a quarter, half and all of the length, a quarter and all of the generated tokens: loading alone (as Accelerate does) versus the solved split, one sequence at a time, with the scheduler&apos;s predictions, next to the paper&apos;s tables 3 and 4.%1 On the command line, --model selects another model.</source>
        <translation>提示为全长的四分之一、一半和全部，生成 token 为四分之一和全部：仅加载（Accelerate 的做法）与求解的拆分对比，每次一个序列，附调度器的预测，与论文的表 3 和表 4 并列。%1在命令行上可用 --model 选择其他模型。</translation>
    </message>
    <message>
        <source>The split takes less time than loading alone at every length, with the same answers.</source>
        <translation>在每个长度下，拆分都比仅加载耗时更少，且回答相同。</translation>
    </message>
    <message>
        <source>OPT-6.7B, batch 64: decode latency 14.8 - 35.8 % lower than Accelerate&apos;s (table 3); OPT-13B 10.5 - 19.8 % (table 4)</source>
        <translation>OPT-6.7B，批 64：解码延迟比 Accelerate 低 14.8 - 35.8 %（表 3）；OPT-13B 低 10.5 - 19.8 %（表 4）</translation>
    </message>
    <message>
        <source>decoding with 4-bit keys and values</source>
        <translation>使用 4 位键和值解码</translation>
    </message>
    <message>
        <source>Loading alone and the solved split, both unquantized, and loading alone with keys and values in 4 bits in groups of 32 (kivi4 without a residual): time per token, bytes transferred, share of unchanged greedy tokens. Layer inputs are not quantized; where they are larger than the quantized keys and values, the scheduler refuses a split.%1</source>
        <translation>未量化的仅加载和求解的拆分，以及键和值为 4 位、每组 32 个（无残差的 kivi4）的仅加载：每 token 的时间、传送的字节、未改变的贪心 token 比例。层输入不量化；当它们大于量化后的键和值时，调度器拒绝拆分。%1</translation>
    </message>
    <message>
        <source>4 bits transfer about a quarter of the bytes and take less time than either unquantized variant.</source>
        <translation>4 位传送的字节约为四分之一，且比未量化的两种方式耗时更少。</translation>
    </message>
    <message>
        <source>OPT-13B: decoding throughput rises with compression enabled (figure 9, no numbers given)</source>
        <translation>OPT-13B：启用压缩后解码吞吐量上升（图 9，未给出数字）</translation>
    </message>
    <message>
        <source>time breakdown of a decode step, loading alone and split</source>
        <translation>解码步骤的时间分解，仅加载与拆分</translation>
    </message>
    <message>
        <source>The split transfers less and the processor stalls less: it recomputes while bytes load.</source>
        <translation>拆分传送更少，处理器停顿更少：它在字节加载时重算。</translation>
    </message>
    <message>
        <source>KV transfer 58 -&gt; 38 % of the run time, layer inputs 8 %, GPU computation 2.3 -&gt; 13.3 % (figure 10); GPU utilization 85 -&gt; 99 % (figure 8)</source>
        <translation>KV 传输占运行时间 58 -&gt; 38 %，层输入 8 %，GPU 计算 2.3 -&gt; 13.3 %（图 10）；GPU 利用率 85 -&gt; 99 %（图 8）</translation>
    </message>
    <message>
        <source>the optimal split over the generation</source>
        <translation>生成过程中的最优拆分</translation>
    </message>
    <message>
        <source>The split changes with the sequence length and the step times; predictions are accurate.</source>
        <translation>拆分随序列长度和步骤时间变化；预测准确。</translation>
    </message>
    <message>
        <source>OPT-6.7B, batch 64, prompt 128, 32 generated: l is solved at each step; the paper&apos;s text gives 182 at the first and 128 at the 32nd token and says that it increases</source>
        <translation>OPT-6.7B，批 64，提示 128，生成 32：每步求解 l；论文正文给出第一个 token 为 182、第 32 个为 128，并称其递增</translation>
    </message>
    <message>
        <source>decode throughput with the Llama 2 architecture</source>
        <translation>Llama 2 架构的解码吞吐量</translation>
    </message>
    <message>
        <source>The split decodes more tokens per second at every length: recomputed keys are rotated to their positions.</source>
        <translation>在每个长度下，拆分每秒解码更多 token：重算的键会旋转到其位置。</translation>
    </message>
    <message>
        <source>Consistently more tokens/s than DeepSpeed Inference and Accelerate with LLaMa2-7B and 13B, batch 64 (figure 13, no numbers given)</source>
        <translation>使用 LLaMa2-7B 和 13B、批 64 时，token/s 始终多于 DeepSpeed Inference 和 Accelerate（图 13，未给出数字）</translation>
    </message>
    <message>
        <source>a prompt&apos;s whole cache: loading, recomputing, and split</source>
        <translation>提示的整个缓存：加载、重算与拆分</translation>
    </message>
    <message>
        <source>The split is faster than either alone, and transfers as many bytes as predicted.</source>
        <translation>拆分比任一单独方式都快，且传送的字节与预测一致。</translation>
    </message>
    <message>
        <source>No such figure: the paper splits each decode step. Here the same split serves a context that is loaded once and then stays resident</source>
        <translation>没有此图：论文拆分每个解码步骤。此处同样的拆分用于加载一次后常驻的上下文</translation>
    </message>
    <message>
        <source>t(first answer token) - t(arrival)</source>
        <translation>t(首个回答 token) - t(到达)</translation>
    </message>
    <message>
        <source>Time to first token, queueing included.</source>
        <translation>首 token 延迟，含排队。</translation>
    </message>
    <message>
        <source>Time to first token from the start of serving.</source>
        <translation>从开始服务起的首 token 延迟。</translation>
    </message>
    <message>
        <source>t(start of serving) - t(arrival)</source>
        <translation>t(开始服务) - t(到达)</translation>
    </message>
    <message>
        <source>Waiting for earlier requests.</source>
        <translation>等待更早的请求。</translation>
    </message>
    <message>
        <source>Finding the longest stored prefix of the context.</source>
        <translation>查找该上下文最长的已存储前缀。</translation>
    </message>
    <message>
        <source>Waiting for bytes of a tier that the model needs next.</source>
        <translation>等待模型接下来需要的层级字节。</translation>
    </message>
    <message>
        <source>The tier&apos;s own time for a request&apos;s bytes, throttling included; part of it overlaps with compute.</source>
        <translation>层级为一个请求的字节所用的时间，含限速；其中一部分与计算重叠。</translation>
    </message>
    <message>
        <source>Verifying loaded bytes and unpacking them into the cache (not answer decoding).</source>
        <translation>校验加载的字节并解包到缓存（不是解码回答）。</translation>
    </message>
    <message>
        <source>Computing the context, or its part beyond a stored prefix.</source>
        <translation>计算上下文，或其超出已存储前缀的部分。</translation>
    </message>
    <message>
        <source>Computing the question over the cache, up to the first answer token.</source>
        <translation>在缓存上计算问题，直到首个回答 token。</translation>
    </message>
    <message>
        <source>ttft_service_seconds - (lookup + load + decode + both prefill seconds)</source>
        <translation>ttft_service_seconds - (lookup + load + decode + 两项 prefill 的秒数)</translation>
    </message>
    <message>
        <source>Between the steps of a request.</source>
        <translation>请求各步骤之间的时间。</translation>
    </message>
    <message>
        <source>(t(last) - t(first answer token)) / (answer tokens - 1)</source>
        <translation>(t(最后一个) - t(首个回答 token)) / (回答 token 数 - 1)</translation>
    </message>
    <message>
        <source>Inter-token latency of a request with two or more answer tokens.</source>
        <translation>有两个或更多回答 token 的请求的 token 间延迟。</translation>
    </message>
    <message>
        <source>t(answer token) - t(answer token before)</source>
        <translation>t(回答 token) - t(前一个回答 token)</translation>
    </message>
    <message>
        <source>Inter-token latency over all gaps of all requests: its percentiles are of tokens, not of requests.</source>
        <translation>所有请求的所有间隔的 token 间延迟：其百分位是按 token 而非按请求。</translation>
    </message>
    <message>
        <source>t(end of answer) - t(arrival)</source>
        <translation>t(回答结束) - t(到达)</translation>
    </message>
    <message>
        <source>Whole request.</source>
        <translation>整个请求。</translation>
    </message>
    <message>
        <source>serving + placing + profiling</source>
        <translation>服务 + 放置 + 剖析</translation>
    </message>
    <message>
        <source>Time of the engine&apos;s thread except waiting and scoring answers.</source>
        <translation>引擎线程的时间，不含等待和为回答评分。</translation>
    </message>
    <message>
        <source>time of measuring quality curves / busy_seconds</source>
        <translation>测量质量曲线的时间 / busy_seconds</translation>
    </message>
    <message>
        <source>Missing curves; curves re-profiled after questions drifted.</source>
        <translation>缺失的曲线；问题漂移后重新剖析的曲线。</translation>
    </message>
    <message>
        <source>Contexts whose answers fell short of their profile by the threshold; curves re-profiled since.</source>
        <translation>回答低于其剖析结果达到阈值的上下文；此后重新剖析的曲线。</translation>
    </message>
    <message>
        <source>Requests restarted because KV blocks ran out.</source>
        <translation>因 KV 块用尽而重新开始的请求。</translation>
    </message>
    <message>
        <source>Longest time that a profiling step, or a layer of a chunk, took on the engine&apos;s thread.</source>
        <translation>一个剖析步骤，或一个分块的一层，在引擎线程上所用的最长时间。</translation>
    </message>
    <message>
        <source>Maximum number of requests in flight.</source>
        <translation>最大在途请求数。</translation>
    </message>
    <message>
        <source>Memory for KV caches on the device that computes the model: in use at the end, and in total.</source>
        <translation>计算模型的设备上用于 KV 缓存的内存：结束时占用的，及其总量。</translation>
    </message>
    <message>
        <source>KV entries of contexts copied to the device that computes the model; entries computed there and copied back. In whole blocks, as transferred.</source>
        <translation>拷贝到计算模型的设备的上下文 KV 条目；在那里计算并拷贝回来的条目。按传输时的整块计。</translation>
    </message>
    <message>
        <source>uploaded_bytes (downloaded_bytes) / time that the copies took on the device</source>
        <translation>uploaded_bytes (downloaded_bytes) / 这些拷贝在设备上所用的时间</translation>
    </message>
    <message>
        <source>From the device&apos;s own events, without queueing of copies.</source>
        <translation>取自设备自己的事件，不含拷贝的排队。</translation>
    </message>
    <message>
        <source>Best of large copies of page-locked memory.</source>
        <translation>锁页内存大块拷贝中的最佳值。</translation>
    </message>
    <message>
        <source>1 - time that compute waited for a layer&apos;s copy / time of the copies to the device</source>
        <translation>1 - 计算在等待某层拷贝的时间 / 拷贝到设备的时间</translation>
    </message>
    <message>
        <source>Share of the copy time that overlaps reads or compute of other layers.</source>
        <translation>拷贝时间中与其他层的读取或计算重叠的比例。</translation>
    </message>
    <message>
        <source>Percentiles of the sorted samples x[0..n-1], linear between neighbors (Hyndman and Fan&apos;s type 7).</source>
        <translation>已排序样本 x[0..n-1] 的百分位，相邻样本间线性插值（Hyndman 和 Fan 的类型 7）。</translation>
    </message>
    <message>
        <source>2.5 % and 97.5 % percentiles of the means of 2000 resamples</source>
        <translation>2000 次重采样的平均值的 2.5 % 和 97.5 % 百分位</translation>
    </message>
    <message>
        <source>Bootstrap that draws whole contexts with replacement, seed fixed; none with fewer than two contexts.</source>
        <translation>有放回地抽取整个上下文的自助法，种子固定；少于两个上下文时没有。</translation>
    </message>
    <message>
        <source>2.5 % and 97.5 % percentiles of the p95 of 2000 resamples</source>
        <translation>2000 次重采样的 p95 的 2.5 % 和 97.5 % 百分位</translation>
    </message>
    <message>
        <source>As interval_95: whole contexts are drawn, not requests. Comparisons draw the same contexts for both runs.</source>
        <translation>同 interval_95：抽取整个上下文而非请求。比较时对两次运行抽取相同的上下文。</translation>
    </message>
    <message>
        <source>Word overlap of the answer and the reference answer after SQuAD&apos;s normalization; mean over held-out requests.</source>
        <translation>按 SQuAD 规范化后回答与参考回答的词重叠；在留出请求上取平均。</translation>
    </message>
    <message>
        <source>1 if normalized answer = normalized reference answer, else 0</source>
        <translation>规范化的回答 = 规范化的参考回答时为 1，否则为 0</translation>
    </message>
    <message>
        <source>Mean over held-out requests: the share of exact answers.</source>
        <translation>在留出请求上的平均值：完全一致的回答的比例。</translation>
    </message>
    <message>
        <source>2 * precision * recall / (precision + recall) of the longest common subsequence of words</source>
        <translation>最长公共词子序列的 2 * precision * recall / (precision + recall)</translation>
    </message>
    <message>
        <source>As in the package rouge-score, without a stemmer.</source>
        <translation>与软件包 rouge-score 相同，不做词干提取。</translation>
    </message>
    <message>
        <source>max(0, e(answer) . e(answer with uncompressed KV)), e: all-MiniLM-L6-v2, length 1</source>
        <translation>max(0, e(回答) . e(未压缩 KV 的回答))，e：all-MiniLM-L6-v2，长度为 1</translation>
    </message>
    <message>
        <source>Similarity in meaning to the answer with uncompressed KV; equal texts score 1.</source>
        <translation>与未压缩 KV 的回答在含义上的相似度；文本相同则为 1。</translation>
    </message>
    <message>
        <source>exp(-mean over answer tokens of KL(p uncompressed || p compressed))</source>
        <translation>exp(-KL(p 未压缩 || p 压缩) 在回答 token 上的平均值)</translation>
    </message>
    <message>
        <source>The model reads its answer with uncompressed KV over either cache; KL in nats is -ln of a question&apos;s score.</source>
        <translation>模型在两种缓存上分别读取其未压缩 KV 的回答；以 nat 计的 KL 是一个问题得分的 -ln。</translation>
    </message>
    <message>
        <source>answer tokens whose most probable token is the same over either cache / answer tokens</source>
        <translation>在两种缓存上最可能 token 相同的回答 token 数 / 回答 token 数</translation>
    </message>
    <message>
        <source>As logit_kl, by the most probable token alone.</source>
        <translation>同 logit_kl，但只看最可能的 token。</translation>
    </message>
    <message>
        <source>the metric of the answers with uncompressed KV to the same questions</source>
        <translation>对相同问题，未压缩 KV 的回答的该指标</translation>
    </message>
    <message>
        <source>Score of reuse without compression: the maximum that compression can keep, except for chance.</source>
        <translation>不压缩复用的得分：压缩所能保持的最大值，偶然情况除外。</translation>
    </message>
    <message>
        <source>mean of the metric over the expected answers of the family&apos;s other questions (at most 256, evenly drawn)</source>
        <translation>该指标对同族其他问题的期望回答的平均值（最多 256 个，均匀抽取）</translation>
    </message>
    <message>
        <source>Score of an answer to another question; for logit_kl and top1_agreement: of reading without the context.</source>
        <translation>用另一个问题的回答所得的分数；对 logit_kl 和 top1_agreement：没有上下文时读取所得的分数。</translation>
    </message>
    <message>
        <source>Time from the start of reading a queued request&apos;s cache to its service; no other metric includes it. 0: no prefetch.</source>
        <translation>从开始读取排队请求的缓存到开始服务的时间；不计入任何其他指标。0：没有预取。</translation>
    </message>
    <message>
        <source>Scoring an answer after it is complete; no other metric includes it.</source>
        <translation>回答完成后为其评分的时间；不计入任何其他指标。</translation>
    </message>
    <message>
        <source>requests served from any tier / all requests</source>
        <translation>由任一层级服务的请求 / 所有请求</translation>
    </message>
    <message>
        <source>With a bootstrap interval over contexts.</source>
        <translation>附按上下文的自助法区间。</translation>
    </message>
    <message>
        <source>requests served from the source / all requests</source>
        <translation>由该来源服务的请求 / 所有请求</translation>
    </message>
    <message>
        <source>A request is served from a tier when any part of its context&apos;s cache was loaded from there, else by prefill.</source>
        <translation>只要其上下文缓存有任何部分从某层级加载，请求就算由该层级服务，否则为预填充。</translation>
    </message>
    <message>
        <source>context tokens supplied by the source / context tokens of all requests</source>
        <translation>由该来源提供的上下文 token / 所有请求的上下文 token</translation>
    </message>
    <message>
        <source>A compressed entry covers all tokens it was made from; tokens beyond a stored prefix count as prefill.</source>
        <translation>压缩条目覆盖生成它的所有 token；超出已存储前缀的 token 计为预填充。</translation>
    </message>
    <message>
        <source>bytes supplied by the source / bytes supplied by all sources</source>
        <translation>该来源提供的字节 / 所有来源提供的字节</translation>
    </message>
    <message>
        <source>Loaded bytes as stored, headers included; prefill counts as computed tokens times uncompressed bytes per token.</source>
        <translation>按存储形式计的加载字节，含头部；预填充按计算的 token 乘以每 token 的未压缩字节计。</translation>
    </message>
    <message>
        <source>Requests, tokens and bytes per source; hit rates are shares of these.</source>
        <translation>每个来源的请求、token 和字节；命中率是它们的占比。</translation>
    </message>
    <message>
        <source>Bytes of all entries on the tier, headers and padding included, at the end.</source>
        <translation>结束时该层级上所有条目的字节，含头部和填充。</translation>
    </message>
    <message>
        <source>Largest tier_used_bytes seen during the run.</source>
        <translation>运行期间出现的最大 tier_used_bytes。</translation>
    </message>
    <message>
        <source>Capacity of the tier.</source>
        <translation>该层级的容量。</translation>
    </message>
    <message>
        <source>Reads whose parts all arrived intact; entries that became durable and visible. Warm-up included.</source>
        <translation>所有部分都完好到达的读取；已持久且可见的条目。含预热。</translation>
    </message>
    <message>
        <source>Reads of held entries that failed and writes that were refused, by reason. A request whose context no tier holds reads nothing.</source>
        <translation>对已保存条目的失败读取和被拒绝的写入，按原因。上下文不在任何层级上的请求不读取任何内容。</translation>
    </message>
    <message>
        <source>Injected faults that affected calls of the tier&apos;s device, by kind.</source>
        <translation>影响该层级设备调用的注入故障，按类型。</translation>
    </message>
    <message>
        <source>|device_seconds - fitted| / device_seconds over the newest 64 loads</source>
        <translation>|device_seconds - 拟合值| / device_seconds，取最近 64 次加载</translation>
    </message>
    <message>
        <source>Deviation of loads from latency + bytes / bandwidth, the cost model that predictions use.</source>
        <translation>加载与“延迟 + 字节 / 带宽”的偏差，即预测所用的开销模型。</translation>
    </message>
    <message>
        <source>Loads that the fit errors are computed from.</source>
        <translation>计算拟合误差所用的加载次数。</translation>
    </message>
    <message>
        <source>answered requests / (t(last end) - t(first start))</source>
        <translation>已回答的请求 / (t(最后结束) - t(最早开始))</translation>
    </message>
    <message>
        <source>Throughput in requests.</source>
        <translation>以请求计的吞吐量。</translation>
    </message>
    <message>
        <source>answer tokens / (t(last end) - t(first start))</source>
        <translation>回答 token / (t(最后结束) - t(最早开始))</translation>
    </message>
    <message>
        <source>Throughput in tokens.</source>
        <translation>以 token 计的吞吐量。</translation>
    </message>
    <message>
        <source>(LP upper bound - achieved) / (LP upper bound - utility of prefilling everything)</source>
        <translation>(LP 上界 - 实际达到) / (LP 上界 - 全部预填充的效用)</translation>
    </message>
    <message>
        <source>Seconds that one unit of quality is worth.</source>
        <translation>一单位质量值多少秒。</translation>
    </message>
    <message>
        <source>stores nothing; recomputes the context on every request</source>
        <translation>不存储任何内容；每次请求都重新计算上下文</translation>
    </message>
    <message>
        <source>one configuration for all contexts, e.g. fixed(snapkv,0.5); LRU by default</source>
        <translation>所有上下文用同一配置，例如 fixed(snapkv,0.5)；默认为 LRU</translation>
    </message>
    <message>
        <source>as in `kvantage-cli methods`</source>
        <translation>同 `kvantage-cli methods`</translation>
    </message>
    <message>
        <source>chooses tier, method and fraction per context by utility; a full tier displaces whatever costs the least utility</source>
        <translation>按效用为每个上下文选择层级、方法和比例；层级满时，移走效用损失最小的</translation>
    </message>
    <message>
        <source>utility (section 4.4) or quality (algorithm 1)</source>
        <translation>utility（第 4.4 节）或 quality（算法 1）</translation>
    </message>
    <message>
        <source>absolute (paper), per_byte (its code), best of both</source>
        <translation>absolute（论文）、per_byte（其代码）、两者中较好的 best</translation>
    </message>
    <message>
        <source>lp: charge space on lower tiers at LP shadow prices</source>
        <translation>lp：按 LP 影子价格对较低层级的空间计价</translation>
    </message>
    <message>
        <source>re-plan every N requests; 0: only for new contexts, profiles or settings</source>
        <translation>每 N 个请求重新规划一次；0：仅在出现新上下文、新剖析或新设置时</translation>
    </message>
    <message>
        <source>contexts enter the fast tier uncompressed; when it is full, the lowest utility per byte is displaced; LRU below</source>
        <translation>上下文以未压缩形式进入快速层级；层级满时，移走每字节效用最小的；其下为 LRU</translation>
    </message>
    <message>
        <source>described, frequency * (alpha * quality - delay), or printed, frequency * alpha * quality - delay</source>
        <translation>described，即 frequency * (alpha * quality - delay)，或 printed，即 frequency * alpha * quality - delay</translation>
    </message>
    <message>
        <source>dataset, means over a family, or context</source>
        <translation>dataset，即族内平均值，或 context</translation>
    </message>
    <message>
        <source>session, its candidates, or paper, KIVI and StreamingLLM of them</source>
        <translation>session，即会话的候选项，或 paper，即其中的 KIVI 和 StreamingLLM</translation>
    </message>
    <message>
        <source>stores only the important fraction of every context; the lowest importance times frequency moves a tier down</source>
        <translation>只存储每个上下文的重要部分；重要性乘以频率最低的下移一个层级</translation>
    </message>
    <message>
        <source>scorer that selects the important tokens</source>
        <translation>选出重要 token 的打分方法</translation>
    </message>
    <message>
        <source>as evicpress</source>
        <translation>同 evicpress</translation>
    </message>
    <message>
        <source>the least recently used one moves a tier down</source>
        <translation>最近最少使用的下移一个层级</translation>
    </message>
    <message>
        <source>the one that entered first moves a tier down</source>
        <translation>最先进入的下移一个层级</translation>
    </message>
    <message>
        <source>the one with the fewest requests since it was stored moves a tier down</source>
        <translation>自存储以来请求最少的下移一个层级</translation>
    </message>
    <message>
        <source>entries requested only once leave a small queue early; a main queue grants one more round per request</source>
        <translation>小队列驱逐未被第二次请求的，主队列按请求次数给予机会</translation>
    </message>
    <message>
        <source>demotes the entry with the lowest requests * seconds saved / bytes, plus age</source>
        <translation>将“请求数 * 节省秒数 / 字节 + 年龄”最小的条目降级</translation>
    </message>
    <message>
        <source>a hand sweeps from oldest to newest and evicts the first entry not requested since the last sweep</source>
        <translation>指针从最旧移向最新，取第一个自上次经过以来未被请求的</translation>
    </message>
    <message>
        <source>an entry leaving the window is kept only if it was requested more often than the next LRU victim</source>
        <translation>离开小窗口的，只有被请求得比分段 LRU 的下一个驱逐对象更频繁才会保留</translation>
    </message>
    <message>
        <source>evicts the oldest from the recent or the frequent list; ghost hits set the balance</source>
        <translation>驱逐最近列表或频繁列表中最旧的；幽灵命中决定二者的平衡</translation>
    </message>
    <message>
        <source>the context with the lowest importance times frequency moves down a tier</source>
        <translation>重要性乘以频率最低的上下文下移一个层级</translation>
    </message>
    <message>
        <source>share of the tokens to remove</source>
        <translation>要移除的 token 比例</translation>
    </message>
    <message>
        <source>fraction of tokens</source>
        <translation>token 的比例</translation>
    </message>
    <message>
        <source>keeps every token</source>
        <translation>保留每个 token</translation>
    </message>
    <message>
        <source>keeps tokens at random, the baseline</source>
        <translation>随机保留 token，作为基线</translation>
    </message>
    <message>
        <source>keeps keys of low (or high) L2 norm</source>
        <translation>保留 L2 范数低（或高）的键</translation>
    </message>
    <message>
        <source>keeps keys unlike the mean key</source>
        <translation>保留与平均键不同的键</translation>
    </message>
    <message>
        <source>keeps tokens that the last queries attend to</source>
        <translation>保留最后若干查询所关注的</translation>
    </message>
    <message>
        <source>keeps the first tokens and the most recent ones</source>
        <translation>保留最前面的 token 和最近的 token</translation>
    </message>
    <message>
        <source>keeps tokens that the last query attends to</source>
        <translation>保留最后一个 token 所关注的</translation>
    </message>
    <message>
        <source>keeps tokens with the most attention per query that sees them</source>
        <translation>保留在能看到它的 token 中获得最多注意力的</translation>
    </message>
    <message>
        <source>keeps heavy hitters and the most recent tokens, half each</source>
        <translation>保留高频命中者和最近的，各占一半</translation>
    </message>
    <message>
        <source>keeps tokens that often get more than an equal share of attention</source>
        <translation>保留经常获得超过平均份额的</translation>
    </message>
    <message>
        <source>keeps tokens that future queries are expected to attend to</source>
        <translation>保留预计未来查询会关注的</translation>
    </message>
    <message>
        <source>keeps tokens that are attended to when the context is repeated</source>
        <translation>保留重复上下文时所读取的</translation>
    </message>
    <message>
        <source>keeps tokens that stand out against the next chunk</source>
        <translation>保留相对于后续部分突出的</translation>
    </message>
    <message>
        <source>keeps tokens that are attended to and not redundant</source>
        <translation>保留被关注且未再次出现的</translation>
    </message>
    <message>
        <source>keeps keys aligned with the mean query before RoPE</source>
        <translation>保留在 RoPE 之前与平均查询方向一致的键</translation>
    </message>
    <message>
        <source>keeps tokens with large values and small keys</source>
        <translation>保留值大而键小的</translation>
    </message>
    <message>
        <source>the same share of every head</source>
        <translation>每个头比例相同</translation>
    </message>
    <message>
        <source>more to lower layers; PyramidKV is pyramid(snapkv)</source>
        <translation>较低的层更多；PyramidKV 即 pyramid(snapkv)</translation>
    </message>
    <message>
        <source>the best of all heads of a layer, with a minimum per head</source>
        <translation>一层所有头中最好的，每个头有最低数量</translation>
    </message>
    <message>
        <source>the best of all layers and heads</source>
        <translation>所有层和头中最好的</translation>
    </message>
    <message>
        <source>whole chunks of neighboring tokens</source>
        <translation>相邻 token 的整块</translation>
    </message>
    <message>
        <source>a number of tokens instead of a share</source>
        <translation>token 的数量而非比例</translation>
    </message>
    <message>
        <source>tokens that a few probe heads agree on, for all heads of the layer</source>
        <translation>少数头一致认为重要的，用于该层的所有头</translation>
    </message>
    <message>
        <source>rotates kept keys to contiguous positions</source>
        <translation>将保留的键旋转到连续的位置</translation>
    </message>
    <message>
        <source>rows as stored in memory</source>
        <translation>按内存中的形式存储行</translation>
    </message>
    <message>
        <source>8-bit floats (e4m3), saturating</source>
        <translation>8 位浮点（e4m3），饱和</translation>
    </message>
    <message>
        <source>keys per channel, values per token, newest rows uncompressed</source>
        <translation>键按通道，值按 token，最新的行不压缩</translation>
    </message>
    <message>
        <source>layer-dependent quantization and an arithmetic coder</source>
        <translation>随层变化的量化加算术编码器</translation>
    </message>
    <message>
        <source>lossless, alone or after another codec (kivi4+zstd)</source>
        <translation>无损，单独使用或在其他编码之后（kivi4+zstd）</translation>
    </message>
    <message>
        <source>uncompressed caches; %1</source>
        <translation>未压缩的缓存；%1</translation>
    </message>
    <message>
        <source>in use: stays as it is</source>
        <translation>使用中：保持不变</translation>
    </message>
    <message>
        <source>being read: stays where it is</source>
        <translation>正在读取：保持原位</translation>
    </message>
    <message>
        <source>%1 was full; moving this context cost the least utility (%2 s); runner-up: %3 to %4 (%5 s)</source>
        <translation>%1 已满；移动此上下文的效用损失最小（%2 s）；次优：将 %3 移至 %4（%5 s）</translation>
    </message>
    <message>
        <source>%1 was full; moving this context cost the least utility (%2 s); no other context could be displaced</source>
        <translation>%1 已满；移动此上下文的效用损失最小（%2 s）；没有其他上下文可以让出空间</translation>
    </message>
    <message>
        <source>%1; not profiled yet: quality assumed %2</source>
        <translation>%1；尚未剖析：质量假定为 %2</translation>
    </message>
    <message>
        <source>its best configuration; nothing had to be displaced</source>
        <translation>它的最佳配置；无需挤走其他上下文</translation>
    </message>
    <message>
        <source>not requested yet</source>
        <translation>尚未被请求</translation>
    </message>
    <message>
        <source>not computed yet</source>
        <translation>尚未计算</translation>
    </message>
    <message>
        <source>recomputing beats every stored configuration</source>
        <translation>重算优于任何存储配置</translation>
    </message>
    <message>
        <source>loses %1 against its own best, %2, for the best total</source>
        <translation>相对于自身最佳的 %2 损失 %1，以换取最佳总和</translation>
    </message>
    <message>
        <source>%1; not proven: too many contexts or choices to search, at most %2 of total utility below the optimum</source>
        <translation>%1；未证明：上下文或选择太多，无法搜索；总效用最多比最优值低 %2</translation>
    </message>
    <message>
        <source>%1; it does not fit any lower tier</source>
        <translation>%1；任何较低层级都放不下它</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>保持不变</translation>
    </message>
    <message>
        <source>as decided before</source>
        <translation>同之前的决定</translation>
    </message>
    <message>
        <source>just computed: enters uncompressed</source>
        <translation>刚计算完：以未压缩形式进入</translation>
    </message>
    <message>
        <source>just computed: enters at the top</source>
        <translation>刚计算完：从最上层进入</translation>
    </message>
    <message>
        <source>just requested: back to the top</source>
        <translation>刚被请求：回到最上层</translation>
    </message>
    <message>
        <source>%1 stores every context in this form</source>
        <translation>%1 以此形式存储每个上下文</translation>
    </message>
    <message>
        <source>this policy stores nothing</source>
        <translation>此策略不存储任何内容</translation>
    </message>
    <message>
        <source>superseded by a later decision</source>
        <translation>已被之后的决定取代</translation>
    </message>
    <message>
        <source>evicted for a swap between full tiers; will be restored from its original</source>
        <translation>为已满层级之间的交换而驱逐；将由其原件恢复</translation>
    </message>
    <message>
        <source>%1 was full: lowest utility drop per byte %2</source>
        <translation>%1 已满：每字节效用下降最低，为 %2</translation>
    </message>
    <message>
        <source>%1 was full: lowest utility drop per byte %2; runner-up: %3 (%4)</source>
        <translation>%1 已满：每字节效用下降最低，为 %2；次优：%3（%4）</translation>
    </message>
    <message>
        <source>%1; recomputing beats storing on the next tier</source>
        <translation>%1；重算优于存储到下一层级</translation>
    </message>
    <message>
        <source>not stored</source>
        <translation>未存储</translation>
    </message>
    <message>
        <source>%1, uncompressed</source>
        <translation>%1，未压缩</translation>
    </message>
    <message>
        <source>%1, %2, %3 % removed</source>
        <translation>%1，%2，移除 %3 %</translation>
    </message>
    <message>
        <source>%1: %2. Predicted: %3, at frequency %4.</source>
        <translation>%1：%2。预测：%3，频率 %4。</translation>
    </message>
    <message>
        <source>quality %1, TTFT %2, utility %3</source>
        <translation>质量 %1，TTFT %2，效用 %3</translation>
    </message>
    <message>
        <source>quality %1, TTFT %2, %3, utility %4</source>
        <translation>质量 %1，TTFT %2，%3，效用 %4</translation>
    </message>
    <message>
        <source>quality %1 (assumed), TTFT %2, utility %3</source>
        <translation>质量 %1（假定），TTFT %2，效用 %3</translation>
    </message>
    <message>
        <source>quality %1 (assumed), TTFT %2, %3, utility %4</source>
        <translation>质量 %1（假定），TTFT %2，%3，效用 %4</translation>
    </message>
    <message>
        <source>It is still in: %1. Plans are executed between requests.</source>
        <translation>它仍在：%1。方案在请求之间执行。</translation>
    </message>
    <message>
        <source>Why: %1.</source>
        <translation>原因：%1。</translation>
    </message>
    <message>
        <source>This policy reacts to events and does not weigh utility: the choice is the entry&apos;s current placement.</source>
        <translation>此策略响应事件，不权衡效用：所选即该条目的当前放置。</translation>
    </message>
    <message>
        <source>Runner-up: %1, with the same utility.</source>
        <translation>次优：%1，效用相同。</translation>
    </message>
    <message>
        <source>Runner-up: %1, with %2 s less utility (%3).</source>
        <translation>次优：%1，效用少 %2 s（%3）。</translation>
    </message>
    <message>
        <source>%1 would gain %2 s of utility (%3), but this policy does not weigh utility.</source>
        <translation>%1 会获得 %2 s 效用（%3），但此策略不权衡效用。</translation>
    </message>
    <message>
        <source>%1 would gain %2 s of utility (%3), but the entry is larger than the budget of %4, %5.</source>
        <translation>%1 会获得 %2 s 效用（%3），但该条目大于 %4 的预算 %5。</translation>
    </message>
    <message>
        <source>%1 would gain %2 s of utility (%3) and displace no other context</source>
        <translation>%1 会获得 %2 s 效用（%3），且不挤走其他上下文</translation>
    </message>
    <message>
        <source>%1 would gain %2 s of utility (%3), and others would move and gain %4 s of utility (%5)</source>
        <translation>%1 会获得 %2 s 效用（%3），其他上下文会移动并获得 %4 s 效用（%5）</translation>
    </message>
    <message>
        <source>%1 would gain %2 s of utility (%3), but %4 is full: it would displace others, costing %5 s of utility (%6)</source>
        <translation>%1 会获得 %2 s 效用（%3），但 %4 已满：会挤走其他上下文，损失 %5 s 效用（%6）</translation>
    </message>
    <message>
        <source>%1 would gain %2 s of utility (%3), but it would displace others, costing %4 s of utility (%5)</source>
        <translation>%1 会获得 %2 s 效用（%3），但会挤走其他上下文，损失 %4 s 效用（%5）</translation>
    </message>
    <message>
        <source>%1. Net gain %2 s: the policy takes the smallest utility drop at each step and misses it.</source>
        <translation>%1。净增益 %2 s：该策略每步选取最小的效用下降，因此错过了它。</translation>
    </message>
    <message>
        <source>%1: net loss %2 s.</source>
        <translation>%1：净损失 %2 s。</translation>
    </message>
    <message>
        <source>%1 to %2, uncompressed, %3 s</source>
        <translation>%1 移至 %2，未压缩，%3 s</translation>
    </message>
    <message>
        <source>%1 to %2, %3, %4 % removed, %5 s</source>
        <translation>%1 移至 %2，%3，移除 %4 %，%5 s</translation>
    </message>
    <message>
        <source>%1 to not stored, %2 s</source>
        <translation>%1 不再存储，%2 s</translation>
    </message>
    <message>
        <source>Ignoring other contexts, the best choice changes at %1; α is %2 s.</source>
        <translation>不考虑其他上下文时，最佳选择在 %1 处改变；当前 alpha 为 %2 s。</translation>
    </message>
    <message>
        <source>Nothing changes until its first request.</source>
        <translation>在首次请求之前不会有任何变化。</translation>
    </message>
    <message>
        <source>α &gt; %1 s (to %2)</source>
        <translation>alpha &gt; %1 s（变为 %2）</translation>
    </message>
    <message>
        <source>α &lt; %1 s (to %2)</source>
        <translation>alpha &lt; %1 s（变为 %2）</translation>
    </message>
    <message>
        <source>α &gt; %1 s (to %2) and α &lt; %3 s (to %4)</source>
        <translation>alpha &gt; %1 s（变为 %2）以及 alpha &lt; %3 s（变为 %4）</translation>
    </message>
    <message>
        <source>frequency ≥ %1 (now %2): %3</source>
        <translation>频率 &gt;= %1（现为 %2）：%3</translation>
    </message>
    <message>
        <source>frequency ≤ %1 (now %2): %3</source>
        <translation>频率 &lt;= %1（现为 %2）：%3</translation>
    </message>
    <message>
        <source>α ≥ %1 (now %2): %3</source>
        <translation>alpha &gt;= %1（现为 %2）：%3</translation>
    </message>
    <message>
        <source>α ≤ %1 (now %2): %3</source>
        <translation>alpha &lt;= %1（现为 %2）：%3</translation>
    </message>
    <message>
        <source>%1 budget ≥ %2 (now %3): %4</source>
        <translation>%1 预算 &gt;= %2（现为 %3）：%4</translation>
    </message>
    <message>
        <source>%1 budget ≤ %2 (now %3): %4</source>
        <translation>%1 预算 &lt;= %2（现为 %3）：%4</translation>
    </message>
    <message>
        <source>raising the %1 budget to %2 would not change it (now %3)</source>
        <translation>%1 的预算增至 %2 也不会改变它（现为 %3）</translation>
    </message>
    <message>
        <source>lowering the %1 budget to %2 would not change it (now %3)</source>
        <translation>%1 的预算减至 %2 也不会改变它（现为 %3）</translation>
    </message>
    <message>
        <source>raising the frequency to %1 would not change it (now %2)</source>
        <translation>频率增至 %1 也不会改变它（现为 %2）</translation>
    </message>
    <message>
        <source>lowering the frequency to %1 would not change it (now %2)</source>
        <translation>频率减至 %1 也不会改变它（现为 %2）</translation>
    </message>
    <message>
        <source>raising α to %1 would not change it (now %2)</source>
        <translation>alpha 增至 %1 也不会改变它（现为 %2）</translation>
    </message>
    <message>
        <source>lowering α to %1 would not change it (now %2)</source>
        <translation>alpha 减至 %1 也不会改变它（现为 %2）</translation>
    </message>
    <message>
        <source>The prompt: %1 KV entries in %2 blocks</source>
        <translation>提示：%2 个块中的 %1 个 KV 条目</translation>
    </message>
    <message>
        <source>Another sequence begins with the same prompt: both share its blocks</source>
        <translation>另一序列以相同的提示开始：两者共享其块</translation>
    </message>
    <message>
        <source>Token %1 takes a new block</source>
        <translation>Token %1 占用一个新块</translation>
    </message>
    <message>
        <source>Token %1 takes the next free slot</source>
        <translation>Token %1 占用下一个空闲槽位</translation>
    </message>
    <message>
        <source>%1 KV entry evicted, %2 block freed</source>
        <translation>驱逐 %1 个 KV 条目，释放 %2 个块</translation>
    </message>
    <message>
        <source>%1 KV entry evicted, %2 blocks freed</source>
        <translation>驱逐 %1 个 KV 条目，释放 %2 个块</translation>
    </message>
    <message>
        <source>%1 KV entries evicted, %2 block freed</source>
        <translation>驱逐 %1 个 KV 条目，释放 %2 个块</translation>
    </message>
    <message>
        <source>%1 KV entries evicted, %2 blocks freed</source>
        <translation>驱逐 %1 个 KV 条目，释放 %2 个块</translation>
    </message>
    <message>
        <source>Repacking moves %1 KV entries, %2 blocks freed</source>
        <translation>重新打包移动 %1 个 KV 条目，释放 %2 个块</translation>
    </message>
    <message>
        <source>Hole filling moves %1 KV entries, %2 blocks freed</source>
        <translation>填补空洞移动 %1 个 KV 条目，释放 %2 个块</translation>
    </message>
    <message>
        <source>least recently used</source>
        <translation>最近最少使用</translation>
    </message>
    <message>
        <source>entered first</source>
        <translation>最先进入</translation>
    </message>
    <message>
        <source>least frequently used</source>
        <translation>使用频率最低</translation>
    </message>
    <message>
        <source>next in its queue and not requested again</source>
        <translation>在其队列中轮到且未再被请求</translation>
    </message>
    <message>
        <source>saves the least for its bytes</source>
        <translation>按其字节节省最少</translation>
    </message>
    <message>
        <source>not requested since the last sweep</source>
        <translation>自上次扫过以来未被请求</translation>
    </message>
    <message>
        <source>requested less often than the entries it competes with</source>
        <translation>被请求的次数少于其竞争者</translation>
    </message>
    <message>
        <source>oldest of the recent or the frequent list</source>
        <translation>最近列表或频繁列表中最旧的</translation>
    </message>
    <message>
        <source>lowest importance times frequency</source>
        <translation>重要性乘以频率最低</translation>
    </message>
    <message>
        <source>%1 is full</source>
        <translation>%1 已满</translation>
    </message>
    <message>
        <source>at %1 % of the bytes faster than every fixed policy of equal quality at every alpha in %2 of %3 families, at some alpha in %4 (a quality that no fixed policy reaches counts)</source>
        <translation>在 %1 % 字节下，%3 个族中有 %2 个在每个 alpha 上快于同等质量的每个固定策略，有 %4 个在某个 alpha 上更快（固定策略都达不到的质量也计入）</translation>
    </message>
    <message>
        <source>%1 configurations of %2 methods are in use</source>
        <translation>使用了 %2 种方法的 %1 种配置</translation>
    </message>
    <message>
        <source>the slower tier holds the more strongly compressed caches in %1 of %2 step from tier to tier</source>
        <translation>在层级间的 %2 步中，有 %1 步是较慢的层级保存压缩更强的缓存</translation>
    </message>
    <message>
        <source>the slower tier holds the more strongly compressed caches in %1 of %2 steps from tier to tier</source>
        <translation>在层级间的 %2 步中，有 %1 步是较慢的层级保存压缩更强的缓存</translation>
    </message>
    <message>
        <source>none reached</source>
        <translation>均未达到</translation>
    </message>
    <message>
        <source>%1, %2 of %3 unreached</source>
        <translation>%1，%3 个中有 %2 个未达到</translation>
    </message>
    <message>
        <source>speedup over the fastest of %1 at equal quality, times: %2</source>
        <translation>相对于同等质量下%1中最快者的加速倍数：%2</translation>
    </message>
    <message>
        <source>quality gain over the best of %1 at equal TTFT, %: %2</source>
        <translation>相对于同等 TTFT 下%1中最好者的质量提升（%）：%2</translation>
    </message>
    <message>
        <source>speedup over %1 within 3 % of full quality, times: %2</source>
        <translation>在完整质量 3 % 以内相对于 %1 的加速倍数：%2</translation>
    </message>
    <message>
        <source>the fixed configurations</source>
        <translation>固定配置</translation>
    </message>
    <message>
        <source>the impress shares</source>
        <translation>各 impress 比例</translation>
    </message>
    <message>
        <source>medians of families from %1 to %2</source>
        <translation>各族的中位数从 %1 到 %2</translation>
    </message>
    <message>
        <source>%1 leads with %2 %, %3 of %4 methods lead for 15 % or more; %5 % of the contexts are ties</source>
        <translation>%1 以 %2 % 领先，%4 种方法中有 %3 种在 15 % 或更多的上下文上领先；%5 % 的上下文并列</translation>
    </message>
    <message>
        <source>means of families from %1 to %2</source>
        <translation>各族的平均值从 %1 到 %2</translation>
    </message>
    <message>
        <source>in the last part quality is %1 with re-profiling and %2 without: %3 higher</source>
        <translation>在最后一段，有重新剖析时质量为 %1，没有时为 %2：高 %3</translation>
    </message>
    <message>
        <source>%1, an interval that includes 0</source>
        <translation>%1，区间包含 0</translation>
    </message>
    <message>
        <source>from the first part to the last quality falls by %1 % without re-profiling and by %2 % with it</source>
        <translation>从第一段到最后一段，质量在没有重新剖析时下降 %1 %，有重新剖析时下降 %2 %</translation>
    </message>
    <message>
        <source>%1: quality in the last part is %2 % below the profiled quality of the first, %3</source>
        <translation>%1：最后一段的质量比第一段的剖析质量 %3 低 %2 %</translation>
    </message>
    <message>
        <source>%1: quality in the last quarter is %2 % below that of the uncompressed cache on the same questions</source>
        <translation>%1：最后四分之一的质量比相同问题上的未压缩缓存低 %2 %</translation>
    </message>
    <message>
        <source>re-profiled</source>
        <translation>重新剖析</translation>
    </message>
    <message>
        <source>profiled once</source>
        <translation>只剖析一次</translation>
    </message>
    <message>
        <source>%1: %2 times the speed of the best baseline at equal quality</source>
        <translation>%1：同等质量下为最佳基线速度的 %2 倍</translation>
    </message>
    <message>
        <source>all budget in DRAM</source>
        <translation>全部预算在 DRAM</translation>
    </message>
    <message>
        <source>abundant DRAM</source>
        <translation>充足的 DRAM</translation>
    </message>
    <message>
        <source>equal bandwidths</source>
        <translation>带宽相等</translation>
    </message>
    <message>
        <source>bandwidth cut to a quarter halfway through the run</source>
        <translation>运行中途带宽降为四分之一</translation>
    </message>
    <message>
        <source>one at a time</source>
        <translation>逐个</translation>
    </message>
    <message>
        <source>against %1: %2 times the speed at equal quality</source>
        <translation>与 %1 相比：同等质量下速度为 %2 倍</translation>
    </message>
    <message>
        <source>against %1: %2 % more quality at equal TTFT</source>
        <translation>与 %1 相比：同等 TTFT 下质量高 %2 %</translation>
    </message>
    <message>
        <source>%1: not met by evicpress at any tested rate</source>
        <translation>%1：evicpress 在任何测试速率下都未达到</translation>
    </message>
    <message>
        <source>%1: not met by any other policy at any tested rate</source>
        <translation>%1：其他策略在任何测试速率下都未达到</translation>
    </message>
    <message>
        <source>%1: evicpress sustains %2 times the rate of the best baseline (%3, %4 requests/s) among the tested rates</source>
        <translation>%1：在测试的速率中，evicpress 能维持最佳基线（%3，%4 请求/s）速率的 %2 倍</translation>
    </message>
    <message>
        <source>inter-token latency within %1 ms</source>
        <translation>token 间延迟在 %1 ms 以内</translation>
    </message>
    <message>
        <source>at %1 requests/s under evicpress, the engine is busy for %2 % of the time, mostly with %3: %4 %</source>
        <translation>在 %1 请求/s 下，使用 evicpress 时引擎有 %2 % 的时间忙碌，主要是%3：%4 %</translation>
    </message>
    <message>
        <source>context prefill</source>
        <translation>上下文预填充</translation>
    </message>
    <message>
        <source>question prefill</source>
        <translation>问题预填充</translation>
    </message>
    <message>
        <source>placing</source>
        <translation>放置</translation>
    </message>
    <message>
        <source>profiling</source>
        <translation>剖析</translation>
    </message>
    <message>
        <source>decoding and unpacking</source>
        <translation>解码与解包</translation>
    </message>
    <message>
        <source>all numbers match the paper&apos;s</source>
        <translation>所有数字都与论文一致</translation>
    </message>
    <message>
        <source>not all numbers match the paper&apos;s</source>
        <translation>并非所有数字都与论文一致</translation>
    </message>
    <message>
        <source>compression only</source>
        <translation>仅压缩</translation>
    </message>
    <message>
        <source>eviction only</source>
        <translation>仅驱逐</translation>
    </message>
    <message>
        <source>both together</source>
        <translation>两者结合</translation>
    </message>
    <message>
        <source>8 GB at 20 GB/s</source>
        <translation>8 GB，20 GB/s</translation>
    </message>
    <message>
        <source>at %1 % of the prompt %2 scores best: %3, the full cache %4</source>
        <translation>预算为提示的 %1 % 时，%2 得分最高：%3，完整缓存为 %4</translation>
    </message>
    <message>
        <source>at %1 % of the prompt %2 is the fastest: %3 times the full cache&apos;s tokens per second, one answer at a time</source>
        <translation>预算为提示的 %1 % 时，%2 最快：逐个回答时每秒 token 数为完整缓存的 %3 倍</translation>
    </message>
    <message>
        <source>over all eviction methods, %1 blocks are freed without compaction and %2 with repack</source>
        <translation>所有驱逐方法合计，不压实时释放 %1 个块，重新打包时释放 %2 个</translation>
    </message>
    <message>
        <source>prefill takes %1 times as long on average for methods that need attention weights, %2 times for those that do not</source>
        <translation>需要注意力权重的方法使预填充平均耗时为 %1 倍，不需要的为 %2 倍</translation>
    </message>
    <message>
        <source>the scheduler&apos;s prediction of the split has a median error of %1</source>
        <translation>调度器对拆分的预测误差中位数为 %1</translation>
    </message>
    <message>
        <source>both variants gave the same tokens</source>
        <translation>两种方式给出相同的 token</translation>
    </message>
    <message>
        <source>recomputing did not pay off at this length; %1</source>
        <translation>在此长度下重算不值得；%1</translation>
    </message>
    <message>
        <source>the share of a step spent waiting for the link changes from %1 to %2</source>
        <translation>一步中等待链路的占比从 %1 变为 %2</translation>
    </message>
    <message>
        <source>predicted versus measured: median error of the steps %1</source>
        <translation>预测与实测：各步误差中位数 %1</translation>
    </message>
    <message>
        <source>over lengths %1</source>
        <translation>在各长度上，%1</translation>
    </message>
    <message>
        <source>over batches %1</source>
        <translation>在各批大小上，%1</translation>
    </message>
    <message>
        <source>loading alone</source>
        <translation>仅加载</translation>
    </message>
    <message>
        <source>loading alone (as Accelerate does)</source>
        <translation>仅加载（Accelerate 的做法）</translation>
    </message>
    <message>
        <source>the split takes %1 less time than loading alone and %2 less than recomputing all of it from layer inputs</source>
        <translation>拆分比仅加载少用 %1 的时间，比全部由层输入重算少用 %2</translation>
    </message>
    <message>
        <source>%1: it is the fastest at every length</source>
        <translation>%1：在每个长度下都最快</translation>
    </message>
    <message>
        <source>%1: it is not the fastest at every length</source>
        <translation>%1：并非在每个长度下都最快</translation>
    </message>
    <message>
        <source>predicted versus measured: median error of the time %1, maximum error of the bytes %2 (blocks end on 4 KiB)</source>
        <translation>预测与实测：时间误差中位数 %1，字节误差最大 %2（块以 4 KiB 结尾）</translation>
    </message>
    <message>
        <source>all variants restored the prefill&apos;s cache bit for bit</source>
        <translation>所有方式都逐位恢复了预填充的缓存</translation>
    </message>
    <message>
        <source>keys and values of a step take %1 times fewer bytes in 4 bits</source>
        <translation>以 4 位存储时，一步的键和值的字节少 %1 倍</translation>
    </message>
    <message>
        <source>the better 4-bit variant takes %1 less time than the better unquantized one</source>
        <translation>4 位中较好的方式比未量化的较好方式少用 %1 的时间</translation>
    </message>
    <message>
        <source>no split with 4 bits: %1</source>
        <translation>4 位时没有拆分：%1</translation>
    </message>
    <message>
        <source>compared with the split after all weights it takes %1 less time: both prefetch the next layer, which already hides what the paper&apos;s order hides</source>
        <translation>与在全部权重之后的拆分相比，少用 %1 的时间：两者都预取下一层，这已隐藏了论文的顺序所隐藏的部分</translation>
    </message>
    <message>
        <source>predicted versus measured: median error %1</source>
        <translation>预测与实测：误差中位数 %1</translation>
    </message>
    <message>
        <source>all variants gave the same tokens</source>
        <translation>所有方式给出相同的 token</translation>
    </message>
    <message>
        <source>the step takes %1 ms loading alone and %2 ms with the split; the processor is busy for %3 and %4 of it</source>
        <translation>这一步仅加载时用 %1 ms，使用拆分时用 %2 ms；处理器的忙碌时间分别占其 %3 和 %4</translation>
    </message>
    <message>
        <source>transfers that the previous step requested begin before 0: two layers are in flight</source>
        <translation>上一步请求的传送在 0 之前开始：有两层在途</translation>
    </message>
    <message>
        <source>Measured points, 95 % intervals over contexts</source>
        <translation>实测点，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>evicpress against others (TTFT of the other / TTFT of evicpress; points of its own frontier; 95 % intervals in brackets)</source>
        <translation>evicpress 与其他策略（其他策略的 TTFT / evicpress 的 TTFT；其自身前沿的点；括号内为 95 % 区间）</translation>
    </message>
    <message>
        <source>evicpress against the fixed policies: TTFT of the other / TTFT of evicpress at equal quality, 95 % intervals over contexts</source>
        <translation>evicpress 与固定策略：同等质量下其他策略的 TTFT / evicpress 的 TTFT，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Share of requests by source, 95 % intervals over contexts</source>
        <translation>各来源的请求占比，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Placements</source>
        <translation>放置</translation>
    </message>
    <message>
        <source>By tier, fastest first, 95 % intervals over contexts</source>
        <translation>各层级，最快的在前，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Relative drop of quality over all contexts, 95 % intervals over contexts</source>
        <translation>所有上下文的相对质量下降，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>By family, 95 % intervals over contexts</source>
        <translation>各族，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Contexts by the method with the smallest quality drop, 95 % intervals over contexts</source>
        <translation>按质量下降最小的方法划分的上下文，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Cost of re-profiling</source>
        <translation>重新剖析的开销</translation>
    </message>
    <message>
        <source>Measured, 95 % intervals over contexts</source>
        <translation>实测，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>TTFT of the other / TTFT of evicpress at equal quality, 95 % intervals over contexts</source>
        <translation>同等质量下其他策略的 TTFT / evicpress 的 TTFT，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>TTFT (with queueing) against quality, and hits of the fast tier, 95 % intervals over contexts</source>
        <translation>TTFT（含排队）与质量，以及快速层级的命中，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>adaptcache against others, service time, 95 % intervals over contexts</source>
        <translation>adaptcache 与其他策略，服务时间，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Engine time after the warm-up, all seeds together</source>
        <translation>预热之后的引擎时间，所有种子合计</translation>
    </message>
    <message>
        <source>By rate, queueing included, 95 % intervals over contexts</source>
        <translation>各速率，含排队，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Highest rate with the mean inter-token latency within the bound</source>
        <translation>平均 token 间延迟在界限内的最高速率</translation>
    </message>
    <message>
        <source>Total TTFT and mean quality</source>
        <translation>总 TTFT 和平均质量</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>得分</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Blocks of one head in the pool</source>
        <translation>池中一个头的块</translation>
    </message>
    <message>
        <source>Overhead of scoring in prefill</source>
        <translation>预填充中打分的开销</translation>
    </message>
    <message>
        <source>Decode latency</source>
        <translation>解码延迟</translation>
    </message>
    <message>
        <source>Paper: OPT-6.7B (table 3), batch 64</source>
        <translation>论文：OPT-6.7B（表 3），批 64</translation>
    </message>
    <message>
        <source>Paper: OPT-13B (table 4), batch 64</source>
        <translation>论文：OPT-13B（表 4），批 64</translation>
    </message>
    <message>
        <source>A decode step</source>
        <translation>一个解码步骤</translation>
    </message>
    <message>
        <source>Paper: an MHA block (figure 10), GPU utilization (figure 8)</source>
        <translation>论文：一个 MHA 块（图 10），GPU 利用率（图 8）</translation>
    </message>
    <message>
        <source>The split at each generated token</source>
        <translation>每个生成 token 处的拆分</translation>
    </message>
    <message>
        <source>A layer of a decode step</source>
        <translation>解码步骤中的一层</translation>
    </message>
    <message>
        <source>Paper: A100, PCIe 4.0 x16</source>
        <translation>论文：A100，PCIe 4.0 x16</translation>
    </message>
    <message>
        <source>Decode throughput, %1 sequences column by column, weights streamed</source>
        <translation>解码吞吐量，%1 个序列按列，权重流式传送</translation>
    </message>
    <message>
        <source>Decode throughput, half the threads and half the link bandwidth, %1 sequences column by column, weights streamed</source>
        <translation>解码吞吐量，线程和链路带宽均减半，%1 个序列按列，权重流式传送</translation>
    </message>
    <message>
        <source>Decode throughput, %1 sequences</source>
        <translation>解码吞吐量，%1 个序列</translation>
    </message>
    <message>
        <source>Decode throughput against the batch</source>
        <translation>解码吞吐量与批大小</translation>
    </message>
    <message>
        <source>Paper: OPT-6.7B on a Quadro RTX 5000, PCIe 4.0 x8, tokens/s</source>
        <translation>论文：Quadro RTX 5000、PCIe 4.0 x8 上的 OPT-6.7B，token/s</translation>
    </message>
    <message>
        <source>Loading a prompt&apos;s whole cache</source>
        <translation>加载提示的整个缓存</translation>
    </message>
    <message>
        <source>The last step</source>
        <translation>最后一步</translation>
    </message>
    <message>
        <source>Timeline, load only</source>
        <translation>时间线，仅加载</translation>
    </message>
    <message>
        <source>Timeline, split</source>
        <translation>时间线，拆分</translation>
    </message>
    <message>
        <source>Decoding with keys and values unquantized and in 4 bits</source>
        <translation>未量化与 4 位键和值的解码</translation>
    </message>
    <message>
        <source>Paper: OPT-6.7B, prompt 256, 64 generated, tokens/s</source>
        <translation>论文：OPT-6.7B，提示 256，生成 64，token/s</translation>
    </message>
    <message>
        <source>the baseline lacks this metric</source>
        <translation>基线没有此指标</translation>
    </message>
    <message>
        <source>better by %1, n = %2</source>
        <translation>好 %1，n = %2</translation>
    </message>
    <message>
        <source>better by %1 (different questions; n = %2 and %3)</source>
        <translation>好 %1（问题不同；n = %2 和 %3）</translation>
    </message>
    <message>
        <source>worse by %1, n = %2</source>
        <translation>差 %1，n = %2</translation>
    </message>
    <message>
        <source>worse by %1 (different questions; n = %2 and %3)</source>
        <translation>差 %1（问题不同；n = %2 和 %3）</translation>
    </message>
    <message>
        <source>%1 points [%2]</source>
        <translation>%1 个百分点 [%2]</translation>
    </message>
    <message>
        <source>not significant (n = %1)</source>
        <translation>不显著（n = %1）</translation>
    </message>
    <message>
        <source>not significant (different questions; n = %1 and %2)</source>
        <translation>不显著（问题不同；n = %1 和 %2）</translation>
    </message>
    <message>
        <source>the same for each of n = %1</source>
        <translation>n = %1 个中每个都相同</translation>
    </message>
    <message>
        <source>not known: questions about a single context give no interval</source>
        <translation>未知：关于单个上下文的问题给不出区间</translation>
    </message>
    <message>
        <source>higher by %1, one value per run: not judged</source>
        <translation>高 %1，每次运行一个值：不作判断</translation>
    </message>
    <message>
        <source>lower by %1, one value per run: not judged</source>
        <translation>低 %1，每次运行一个值：不作判断</translation>
    </message>
    <message>
        <source>the same: %1, one value per run: not judged</source>
        <translation>相同：%1，每次运行一个值：不作判断</translation>
    </message>
    <message>
        <source>one value per run: not judged</source>
        <translation>每次运行一个值：不作判断</translation>
    </message>
    <message>
        <source>the same for each of %1 questions</source>
        <translation>%1 个问题中每个都相同</translation>
    </message>
    <message>
        <source>not known: %1 pairs of one context give no interval</source>
        <translation>未知：同一上下文的 %1 对给不出区间</translation>
    </message>
    <message>
        <source>not significant: %1 over %2 pairs includes 0</source>
        <translation>不显著：%2 对的 %1 包含 0</translation>
    </message>
    <message>
        <source>better: %1 over %2 pairs excludes 0</source>
        <translation>较好：%2 对的 %1 不包含 0</translation>
    </message>
    <message>
        <source>worse: %1 over %2 pairs excludes 0</source>
        <translation>较差：%2 对的 %1 不包含 0</translation>
    </message>
    <message>
        <source>not known: without an interval</source>
        <translation>未知：没有区间</translation>
    </message>
    <message>
        <source>not judged: the run is not complete (%1)</source>
        <translation>未判定：运行不完整（%1）</translation>
    </message>
    <message>
        <source>not judged: the baseline is not complete (%1)</source>
        <translation>未判定：基线不完整（%1）</translation>
    </message>
    <message>
        <source>not significant: the 95 % intervals overlap (other questions were asked)</source>
        <translation>不显著：95 % 区间重叠（提问的问题不同）</translation>
    </message>
    <message>
        <source>better: the 95 % intervals do not overlap (other questions were asked)</source>
        <translation>较好：95 % 区间不重叠（提问的问题不同）</translation>
    </message>
    <message>
        <source>worse: the 95 % intervals do not overlap (other questions were asked)</source>
        <translation>较差：95 % 区间不重叠（提问的问题不同）</translation>
    </message>
    <message>
        <source>TTFT, service</source>
        <translation>TTFT，服务</translation>
    </message>
    <message>
        <source>TTFT, service, p95</source>
        <translation>TTFT，服务，p95</translation>
    </message>
    <message>
        <source>TTFT, with queue</source>
        <translation>TTFT，含排队</translation>
    </message>
    <message>
        <source>TTFT, with queue, p95</source>
        <translation>TTFT，含排队，p95</translation>
    </message>
    <message>
        <source>inter-token latency</source>
        <translation>token 间延迟</translation>
    </message>
    <message>
        <source>end to end</source>
        <translation>端到端</translation>
    </message>
    <message>
        <source>served from tiers</source>
        <translation>由层级服务</translation>
    </message>
    <message>
        <source>quality, %1</source>
        <translation>质量，%1</translation>
    </message>
    <message>
        <source>answer tokens</source>
        <translation>回答 token</translation>
    </message>
    <message>
        <source>No request was answered.</source>
        <translation>没有请求得到回答。</translation>
    </message>
    <message>
        <source>%1 answered %2 requests with %3.</source>
        <translation>%1 回答了 %2 个请求，%3。</translation>
    </message>
    <message>
        <source>%1 answered %2 request with %3.</source>
        <translation>%1 回答了 %2 个请求，%3。</translation>
    </message>
    <message>
        <source>Of %1 compared, %2 is fastest and has the best %3 (%4)</source>
        <translation>所比较的 %1 个中，%2 最快且 %3 最好（%4）</translation>
    </message>
    <message>
        <source>Of %1 compared, %2 is fastest (%3) and %4 has the best %5 (%6)</source>
        <translation>所比较的 %1 个中，%2 最快（%3），%4 的 %5 最好（%6）</translation>
    </message>
    <message>
        <source>Of %1 compared, %2 is fastest (%3)</source>
        <translation>所比较的 %1 个中，%2 最快（%3）</translation>
    </message>
    <message>
        <source>Of %1 compared, %2 is fastest (%3) and %4 tie for the best %5 (%6)</source>
        <translation>所比较的 %1 个中，%2 最快（%3），%4 个并列 %5 最好（%6）</translation>
    </message>
    <message>
        <source>Of %1 compared, %2 tie for the lowest mean TTFT (%3)</source>
        <translation>所比较的 %1 个中，%2 个的平均 TTFT 并列最低（%3）</translation>
    </message>
    <message>
        <source>Of %1 compared, %2 tie for the lowest mean TTFT (%3) and %4 has the best %5 (%6)</source>
        <translation>所比较的 %1 个中，%2 个的平均 TTFT 并列最低（%3），%4 的 %5 最好（%6）</translation>
    </message>
    <message>
        <source>Of %1 compared, %2 tie for the lowest mean TTFT (%3) and %4 tie for the best %5 (%6)</source>
        <translation>所比较的 %1 个中，%2 个的平均 TTFT 并列最低（%3），%4 个并列 %5 最好（%6）</translation>
    </message>
    <message>
        <source>%1; in %2, the best 95 % interval overlaps no other.</source>
        <translation>%1；就 %2 而言，最优者的 95 % 区间与其他的不重叠。</translation>
    </message>
    <message>
        <source>%1; there is no difference to judge.</source>
        <translation>%1；没有可评判的差异。</translation>
    </message>
    <message>
        <source>%1; without 95 % intervals, no difference is judged.</source>
        <translation>%1；没有 95 % 区间，因此不评判差异。</translation>
    </message>
    <message>
        <source>%1; their 95 % intervals do not overlap those of others.</source>
        <translation>%1；其 95 % 区间与其他的不重叠。</translation>
    </message>
    <message>
        <source>%1; the TTFT difference to %2 is not significant; the %3 difference to %4 is not significant (95 % intervals overlap).</source>
        <translation>%1；与 %2 的 TTFT 差异不显著；与 %4 的 %3 差异不显著（95 % 区间重叠）。</translation>
    </message>
    <message>
        <source>%1; the TTFT difference to %2 is not significant (95 % intervals overlap).</source>
        <translation>%1；与 %2 的 TTFT 差异不显著（95 % 区间重叠）。</translation>
    </message>
    <message>
        <source>%1; the %2 difference to %3 is not significant (95 % intervals overlap).</source>
        <translation>%1；与 %3 的 %2 差异不显著（95 % 区间重叠）。</translation>
    </message>
    <message>
        <source>%1 Not complete: %2.</source>
        <translation>%1不完整：%2。</translation>
    </message>
    <message>
        <source>%1 Not compared: %2.</source>
        <translation>%1未比较：%2。</translation>
    </message>
    <message>
        <source>No policy can be compared.</source>
        <translation>没有可比较的策略。</translation>
    </message>
    <message>
        <source>%1 (no request answered)</source>
        <translation>%1（没有请求得到回答）</translation>
    </message>
    <message>
        <source>%1 (only %2 requests)</source>
        <translation>%1（只有 %2 个请求）</translation>
    </message>
    <message>
        <source>%1 (only %2 request)</source>
        <translation>%1（只有 %2 个请求）</translation>
    </message>
    <message>
        <source>%1 (stopped)</source>
        <translation>%1（已停止）</translation>
    </message>
    <message>
        <source>mean TTFT %1 ms</source>
        <translation>平均 TTFT %1 ms</translation>
    </message>
    <message>
        <source>mean TTFT %1 ms at %2</source>
        <translation>平均 TTFT %1 ms，%2</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 及另外 %2 个</translation>
    </message>
    <message>
        <source>%1 (no end recorded)</source>
        <translation>%1（没有记录结束）</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>已关闭</translation>
    </message>
    <message>
        <source>first request</source>
        <translation>首次请求</translation>
    </message>
    <message>
        <source>recompute was faster</source>
        <translation>重算更快</translation>
    </message>
    <message>
        <source>absent</source>
        <translation>不存在</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>文件缺失</translation>
    </message>
    <message>
        <source>truncated</source>
        <translation>数据截断</translation>
    </message>
    <message>
        <source>checksum</source>
        <translation>校验和不符</translation>
    </message>
    <message>
        <source>unavailable</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>replaced</source>
        <translation>已被替换</translation>
    </message>
    <message>
        <source>canceled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>rejected</source>
        <translation>请求无效</translation>
    </message>
    <message>
        <source>rejected_input</source>
        <translation>输入无效</translation>
    </message>
    <message>
        <source>not_found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>no_space</source>
        <translation>空间不足</translation>
    </message>
    <message>
        <source>io</source>
        <translation>I/O 错误</translation>
    </message>
    <message>
        <source>corrupt</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>Reading the contexts</source>
        <translation>正在读取上下文</translation>
    </message>
    <message>
        <source>Opening the tiers</source>
        <translation>正在打开层级</translation>
    </message>
    <message>
        <source>Timing the model and the tiers</source>
        <translation>正在为模型和层级计时</translation>
    </message>
    <message>
        <source>Reading the quality profiles</source>
        <translation>正在读取质量剖析</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Profiling contexts</source>
        <translation>正在剖析上下文</translation>
    </message>
    <message>
        <source>Waiting for space in the block pool</source>
        <translation>正在等待块池中的空间</translation>
    </message>
    <message>
        <source>Beginning</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Reading the context from the archive</source>
        <translation>正在从归档读取上下文</translation>
    </message>
    <message>
        <source>Computing the context</source>
        <translation>正在计算上下文</translation>
    </message>
    <message>
        <source>quality is incomplete: %1</source>
        <translation>质量不完整：%1</translation>
    </message>
    <message>
        <source>profiling failed: %1</source>
        <translation>剖析失败：%1</translation>
    </message>
    <message>
        <source>%1 not saved: %2</source>
        <translation>未能保存%1：%2</translation>
    </message>
    <message>
        <source>reference answers are</source>
        <translation>参考回答</translation>
    </message>
    <message>
        <source>request frequencies are</source>
        <translation>请求频率</translation>
    </message>
    <message>
        <source>request failed: %1</source>
        <translation>请求失败：%1</translation>
    </message>
    <message>
        <source>original not archived: %1</source>
        <translation>原件未归档：%1</translation>
    </message>
    <message>
        <source>originals are archived again</source>
        <translation>原件恢复归档</translation>
    </message>
    <message>
        <source>original of context &apos;%1&apos; not archived: %2; further failures are not reported until originals are archived again</source>
        <translation>上下文“%1”的原件未归档：%2；在原件恢复归档之前不再报告后续失败</translation>
    </message>
    <message>
        <source>run is not recorded: %1</source>
        <translation>运行未被记录：%1</translation>
    </message>
    <message>
        <source>the run&apos;s record is incomplete: %1</source>
        <translation>运行的记录不完整：%1</translation>
    </message>
    <message>
        <source>tier %1 ignores entries on its server whose seal does not fit its seal_key_file (%2 so far)</source>
        <translation>层级 %1 忽略其服务器上封印与 seal_key_file 不符的条目（目前 %2 个）</translation>
    </message>
    <message>
        <source>tier %1 is available again</source>
        <translation>层级 %1 恢复可用</translation>
    </message>
    <message>
        <source>tier %1 is %2; requests continue without it</source>
        <translation>层级 %1 %2；请求在没有它的情况下继续</translation>
    </message>
    <message>
        <source>tier &apos;%1&apos;: %2</source>
        <translation>层级“%1”：%2</translation>
    </message>
    <message>
        <source>tier &apos;%1&apos; could not be timed: %2</source>
        <translation>无法为层级“%1”计时：%2</translation>
    </message>
    <message>
        <source>request refused: context &apos;%1&apos; and its question, %2 tokens, need %3 of KV blocks and there are %4; give a shorter context</source>
        <translation>请求被拒绝：上下文“%1”及其问题共 %2 个 token，需要 %3 的 KV 块，而只有 %4；请提供更短的上下文</translation>
    </message>
    <message>
        <source>tier %1: %2 of the workload&apos;s %3 of uncompressed KV is %4</source>
        <translation>层级 %1：工作负载 %3 未压缩 KV 的 %2 为 %4</translation>
    </message>
    <message>
        <source>faults injected: %1</source>
        <translation>已注入故障：%1</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>throttled</source>
        <translation>限速</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>%1 after %2 requests</source>
        <translation>%2 个请求后%1</translation>
    </message>
    <message>
        <source>%1 after %2 request</source>
        <translation>%2 个请求后%1</translation>
    </message>
    <message>
        <source>request %1 on %2: %3</source>
        <translation>请求 %1，上下文 %2：%3</translation>
    </message>
    <message>
        <source>request %1: %2</source>
        <translation>请求 %1：%2</translation>
    </message>
    <message>
        <source>request %1 on %2 from %3: canceled</source>
        <translation>请求 %1，上下文 %2，来自 %3：已取消</translation>
    </message>
    <message>
        <source>%1: %2 tokens, %3 in %4</source>
        <translation>%1：%2 个 token，%3，用时 %4</translation>
    </message>
    <message>
        <source>%1: %2 points from the store</source>
        <translation>%1：%2 个点，来自存储</translation>
    </message>
    <message>
        <source>%1: %2 point from the store</source>
        <translation>%1：%2 个点，来自存储</translation>
    </message>
    <message>
        <source>%1: %2 points from the store, again</source>
        <translation>%1：%2 个点，来自存储，再次</translation>
    </message>
    <message>
        <source>%1: %2 point from the store, again</source>
        <translation>%1：%2 个点，来自存储，再次</translation>
    </message>
    <message>
        <source>%1: %2 points in %3</source>
        <translation>%1：%2 个点，用时 %3</translation>
    </message>
    <message>
        <source>%1: %2 point in %3</source>
        <translation>%1：%2 个点，用时 %3</translation>
    </message>
    <message>
        <source>%1: %2 points in %3, again</source>
        <translation>%1：%2 个点，用时 %3，再次</translation>
    </message>
    <message>
        <source>%1: %2 point in %3, again</source>
        <translation>%1：%2 个点，用时 %3，再次</translation>
    </message>
    <message>
        <source>%1 plans %2 actions: predicted quality %3, TTFT %4</source>
        <translation>%1 规划 %2 个动作：预测质量 %3，TTFT %4</translation>
    </message>
    <message>
        <source>%1 plans %2 action: predicted quality %3, TTFT %4</source>
        <translation>%1 规划 %2 个动作：预测质量 %3，TTFT %4</translation>
    </message>
    <message>
        <source>%1: %2 (%3) to %4 (%5)</source>
        <translation>%1：%2（%3）移至 %4（%5）</translation>
    </message>
    <message>
        <source>%1; failed: %2</source>
        <translation>%1；失败：%2</translation>
    </message>
    <message>
        <source>from %1: %2</source>
        <translation>来自 %1：%2</translation>
    </message>
    <message>
        <source>%1: %2/s, latency %3 from %4 loads</source>
        <translation>%1：%2/s，延迟 %3，由 %4 次加载得出</translation>
    </message>
    <message>
        <source>%1: %2/s, latency %3 from %4 load</source>
        <translation>%1：%2/s，延迟 %3，由 %4 次加载得出</translation>
    </message>
    <message>
        <source>%1: %2/s, latency %3 from %4 loads (throttled)</source>
        <translation>%1：%2/s，延迟 %3，由 %4 次加载得出（限速）</translation>
    </message>
    <message>
        <source>%1: %2/s, latency %3 from %4 load (throttled)</source>
        <translation>%1：%2/s，延迟 %3，由 %4 次加载得出（限速）</translation>
    </message>
    <message>
        <source>%1: %2 reads, %3 writes</source>
        <translation>%1：%2 次读取，%3 次写入</translation>
    </message>
    <message>
        <source>%1: %2 read, %3 writes</source>
        <translation>%1：%2 次读取，%3 次写入</translation>
    </message>
    <message>
        <source>%1: %2 reads, %3 write</source>
        <translation>%1：%2 次读取，%3 次写入</translation>
    </message>
    <message>
        <source>%1: %2 read, %3 write</source>
        <translation>%1：%2 次读取，%3 次写入</translation>
    </message>
    <message>
        <source>%1: quality %2, profile %3</source>
        <translation>%1：质量 %2，剖析为 %3</translation>
    </message>
    <message>
        <source>busy %1, including %2 re-profiling</source>
        <translation>忙碌 %1，其中重新剖析 %2</translation>
    </message>
    <message>
        <source>%1: %2 contexts, %3 tiers</source>
        <translation>%1：%2 个上下文，%3 个层级</translation>
    </message>
    <message>
        <source>%1: %2 context, %3 tiers</source>
        <translation>%1：%2 个上下文，%3 个层级</translation>
    </message>
    <message>
        <source>%1: %2 contexts, %3 tier</source>
        <translation>%1：%2 个上下文，%3 个层级</translation>
    </message>
    <message>
        <source>%1: %2 context, %3 tier</source>
        <translation>%1：%2 个上下文，%3 个层级</translation>
    </message>
    <message>
        <source>error: %1</source>
        <translation>错误：%1</translation>
    </message>
    <message>
        <source>warning: %1</source>
        <translation>警告：%1</translation>
    </message>
    <message>
        <source>info: %1</source>
        <translation>信息：%1</translation>
    </message>
    <message>
        <source>alpha: %1 to %2</source>
        <translation>alpha：%1 改为 %2</translation>
    </message>
    <message>
        <source>host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>file system</source>
        <translation>文件系统</translation>
    </message>
    <message>
        <source>device memory</source>
        <translation>设备内存</translation>
    </message>
    <message>
        <source>shaped: %1</source>
        <translation>限速：%1</translation>
    </message>
    <message>
        <source>not reachable: %1; retrying</source>
        <translation>无法连接：%1；正在重试</translation>
    </message>
    <message>
        <source>host memory could not be pinned, copies are slower</source>
        <translation>主机内存无法锁页，拷贝较慢</translation>
    </message>
    <message>
        <source>page cache dropped after each read: O_DIRECT refused here</source>
        <translation>每次读取后丢弃页缓存：此处拒绝 O_DIRECT</translation>
    </message>
    <message>
        <source>quality curves: %1</source>
        <translation>质量曲线：%1</translation>
    </message>
    <message>
        <source>policy: &quot;%1&quot; to &quot;%2&quot;</source>
        <translation>policy：“%1”改为“%2”</translation>
    </message>
    <message>
        <source>request %1 on %2 from %3: TTFT %4 (%5)</source>
        <translation>请求 %1，上下文 %2，来自 %3：TTFT %4（%5）</translation>
    </message>
    <message>
        <source>request %1 on %2 from %3: TTFT %4 (%5), %6</source>
        <translation>请求 %1，上下文 %2，来自 %3：TTFT %4（%5），%6</translation>
    </message>
    <message>
        <source>the entry was dropped</source>
        <translation>该条目已丢弃</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>失败：%1</translation>
    </message>
    <message>
        <source>%1: split into %2 contexts of at most %3 tokens (--context-tokens sets another limit)</source>
        <translation>%1：拆分为 %2 个上下文，每个最多 %3 个 token（--context-tokens 可设置其他上限）</translation>
    </message>
    <message>
        <source>%1: split into %2 context of at most %3 tokens (--context-tokens sets another limit)</source>
        <translation>%1：拆分为 %2 个上下文，每个最多 %3 个 token（--context-tokens 可设置其他上限）</translation>
    </message>
    <message>
        <source>%1: %2 contexts</source>
        <translation>%1：%2 个上下文</translation>
    </message>
    <message>
        <source>%1: %2 context</source>
        <translation>%1：%2 个上下文</translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation>%1 个文件</translation>
    </message>
    <message>
        <source>%1 malformed byte replaced by U+FFFD</source>
        <translation>%1 个错误字节已替换为 U+FFFD</translation>
    </message>
    <message>
        <source>%1 malformed bytes replaced by U+FFFD</source>
        <translation>%1 个错误字节已替换为 U+FFFD</translation>
    </message>
    <message>
        <source>%1 duplicate text skipped</source>
        <translation>已跳过 %1 个重复文本</translation>
    </message>
    <message>
        <source>%1 duplicate texts skipped</source>
        <translation>已跳过 %1 个重复文本</translation>
    </message>
    <message>
        <source>%1 empty file skipped</source>
        <translation>已跳过 %1 个空文件</translation>
    </message>
    <message>
        <source>%1 empty files skipped</source>
        <translation>已跳过 %1 个空文件</translation>
    </message>
    <message>
        <source>%1 question generated for contexts without any</source>
        <translation>已为没有问题的上下文生成 %1 个问题</translation>
    </message>
    <message>
        <source>%1 questions generated for contexts without any</source>
        <translation>已为没有问题的上下文生成 %1 个问题</translation>
    </message>
    <message>
        <source>the last session resumes without the faults injected into %1; inject them again in Controls or Run &gt; Inject faults</source>
        <translation>上次会话恢复时不含注入到 %1 的故障；请在“控制”或“运行 &gt; 注入故障”中再次注入</translation>
    </message>
    <message>
        <source>%1; this session keeps its entries in %2</source>
        <translation>%1；本会话将其条目保存在 %2</translation>
    </message>
    <message>
        <source>the default model is loaded instead</source>
        <translation>改为加载默认模型</translation>
    </message>
    <message>
        <source>the quick start is served instead</source>
        <translation>改为服务快速入门</translation>
    </message>
    <message>
        <source>default model</source>
        <translation>默认模型</translation>
    </message>
    <message>
        <source>%1 GEMM, %2 attention, %3 threads</source>
        <translation>%1 GEMM，%2 注意力，%3 个线程</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>write-back</source>
        <translation>写回</translation>
    </message>
    <message>
        <source>io_uring, registered buffers</source>
        <translation>io_uring，已注册缓冲区</translation>
    </message>
    <message>
        <source>store</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>promote</source>
        <translation>提升</translation>
    </message>
    <message>
        <source>compress</source>
        <translation>压缩</translation>
    </message>
    <message>
        <source>demote</source>
        <translation>降级</translation>
    </message>
    <message>
        <source>evict</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>store %1</source>
        <translation>存储 %1</translation>
    </message>
    <message>
        <source>promote %1</source>
        <translation>提升 %1</translation>
    </message>
    <message>
        <source>compress %1</source>
        <translation>压缩 %1</translation>
    </message>
    <message>
        <source>demote %1</source>
        <translation>降级 %1</translation>
    </message>
    <message>
        <source>evict %1</source>
        <translation>驱逐 %1</translation>
    </message>
    <message>
        <source>tier %1</source>
        <translation>层级 %1</translation>
    </message>
    <message>
        <source>unchanged tiers</source>
        <translation>未改变的层级</translation>
    </message>
    <message>
        <source>%1: cannot be read (%2); check the path</source>
        <translation>%1：无法读取（%2）；请检查路径</translation>
    </message>
    <message>
        <source>%1: cannot be read (%2); give a Hugging Face folder or a GGUF file</source>
        <translation>%1：无法读取（%2）；请提供 Hugging Face 文件夹或 GGUF 文件</translation>
    </message>
    <message>
        <source>%1: no config.json; give a Hugging Face folder, which has one, or a GGUF file</source>
        <translation>%1：没有 config.json；请提供含有该文件的 Hugging Face 文件夹，或 GGUF 文件</translation>
    </message>
    <message>
        <source>%1: no such file or folder; give a Hugging Face folder or a GGUF file</source>
        <translation>%1：没有这个文件或文件夹；请提供 Hugging Face 文件夹或 GGUF 文件</translation>
    </message>
    <message>
        <source>%1: cannot be written (%2); choose a writable folder</source>
        <translation>%1：无法写入（%2）；请选择可写的文件夹</translation>
    </message>
    <message>
        <source>%1: cannot be written (%2); choose another path</source>
        <translation>%1：无法写入（%2）；请选择其他路径</translation>
    </message>
    <message>
        <source>%1: is a folder, a file was expected; give a file</source>
        <translation>%1：是文件夹，而此处需要文件；请给出文件</translation>
    </message>
    <message>
        <source>%1: not valid JSON (%2); correct it</source>
        <translation>%1：不是有效的 JSON（%2）；请改正</translation>
    </message>
    <message>
        <source>%1: run &apos;%2&apos; is still being recorded; stop it first, then delete it</source>
        <translation>%1：运行“%2”仍在记录；请先停止，再删除</translation>
    </message>
    <message>
        <source>%1: has no run &apos;%2&apos;; it was deleted before</source>
        <translation>%1：没有运行“%2”；它此前已被删除</translation>
    </message>
    <message>
        <source>run &apos;%1&apos;: is no longer in this database; choose another run</source>
        <translation>运行“%1”：已不再记录在那里；请选择其他运行</translation>
    </message>
    <message>
        <source>%1: is not JSON; reproduce the figure again</source>
        <translation>%1：不是 JSON；请重新复现该图表</translation>
    </message>
    <message>
        <source>device tier: off: %1</source>
        <translation>设备层级：关闭：%1</translation>
    </message>
    <message>
        <source>device tier: %1, %2, %3 free</source>
        <translation>设备层级：%1，%2，空闲 %3</translation>
    </message>
    <message>
        <source>there is no module %1 next to the program; &apos;./run --gpu&apos; builds it, or name it in %2</source>
        <translation>程序旁没有模块 %1；可用“./run --gpu”构建，或在 %2 中指定</translation>
    </message>
    <message>
        <source>there is no file %1; name the module in %2, or unset it</source>
        <translation>没有文件 %1；请在 %2 中指定模块，或取消该变量</translation>
    </message>
    <message>
        <source>%1: cannot be loaded: %2; &apos;./run --gpu&apos; rebuilds the module</source>
        <translation>%1：无法加载：%2；可用“./run --gpu”重新构建该模块</translation>
    </message>
    <message>
        <source>%1: is not a module of this program; &apos;./run --gpu&apos; builds one</source>
        <translation>%1：不是本程序的模块；可用“./run --gpu”构建一个</translation>
    </message>
    <message>
        <source>%1, %2 cores, %3, %4</source>
        <translation>%1，%2 核，%3，%4</translation>
    </message>
    <message>
        <source>bf16 on %1, %2 of weights, decode %3</source>
        <translation>bf16，在 %1 上，权重 %2，解码%3</translation>
    </message>
    <message>
        <source>in graphs</source>
        <translation>使用 CUDA 图</translation>
    </message>
    <message>
        <source>step by step</source>
        <translation>逐步执行</translation>
    </message>
    <message>
        <source>no model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>simulated, nothing is computed</source>
        <translation>模拟，不进行计算</translation>
    </message>
    <message>
        <source>io_uring, buffers not registered: too little memory may be locked</source>
        <translation>io_uring，缓冲区未注册：可锁定的内存太少</translation>
    </message>
    <message>
        <source>the folder is in memory (tmpfs): times are not those of a disk</source>
        <translation>文件夹在内存中（tmpfs）：时间不代表磁盘</translation>
    </message>
    <message>
        <source>at %1</source>
        <translation>位于 %1</translation>
    </message>
    <message>
        <source>Memory of a request&apos;s KV cache while it decodes its answer.</source>
        <translation>请求解码回答期间其 KV 缓存占用的内存。</translation>
    </message>
    <message>
        <source>Planned decode-time eviction: quality, inter-token latency and memory of the requests that an option was chosen for.</source>
        <translation>按计划的解码时驱逐：选用该选项的请求的质量、token 间延迟和内存。</translation>
    </message>
    <message>
        <source>What the profile of a request&apos;s context promised of its option, over its uncompressed cache.</source>
        <translation>请求所属上下文的剖析结果对其选项的预期，基于未压缩的缓存。</translation>
    </message>
    <message>
        <source>keeps the first tokens, drops the oldest of the others</source>
        <translation>保留最初的 token，丢弃其余中最旧的</translation>
    </message>
    <message>
        <source>drops tokens with the least attention so far, keeps the recent half</source>
        <translation>丢弃迄今所获注意力最少的 token，保留最近的一半</translation>
    </message>
    <message>
        <source>drops tokens that seldom got an equal share of attention</source>
        <translation>丢弃很少获得均等注意力份额的 token</translation>
    </message>
    <message>
        <source>drops tokens that the newest token attends to least</source>
        <translation>丢弃最新 token 关注最少的 token</translation>
    </message>
    <message>
        <source>drops redundant tokens with little attention</source>
        <translation>丢弃注意力很少的冗余 token</translation>
    </message>
    <message>
        <source>drops keys far from the mean query before RoPE</source>
        <translation>丢弃 RoPE 之前远离平均查询的键</translation>
    </message>
    <message>
        <source>drops keys of high L2 norm (inverse key L2)</source>
        <translation>丢弃 L2 范数高的键（逆键 L2）</translation>
    </message>
    <message>
        <source>drops keys like the mean key</source>
        <translation>丢弃与平均键相似的键</translation>
    </message>
    <message>
        <source>reads the pages that matter to a query; keeps all rows</source>
        <translation>只读取对查询重要的页；保留所有行</translation>
    </message>
    <message>
        <source>heads hold different numbers of tokens</source>
        <translation>各头的 token 数不同</translation>
    </message>
    <message>
        <source>the model runs on a device</source>
        <translation>模型在设备上运行</translation>
    </message>
    <message>
        <source>the tier has no space for the context</source>
        <translation>该层级没有空间存放上下文</translation>
    </message>
    <message>
        <source>a write to the tier failed</source>
        <translation>写入该层级失败</translation>
    </message>
    <message>
        <source>no buffers are free for its layers</source>
        <translation>没有空闲缓冲区用于其各层</translation>
    </message>
    <message>
        <source>layer inputs are no shorter than keys and values</source>
        <translation>层输入不短于键和值</translation>
    </message>
    <message>
        <source>the tier failed while decoding</source>
        <translation>解码期间该层级发生故障</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>重算</translation>
    </message>
    <message>
        <source>decode_offload, recomputed tokens</source>
        <translation>decode_offload，重算的 token</translation>
    </message>
    <message>
        <source>decode_offload, read per token</source>
        <translation>decode_offload，每个 token 的读取量</translation>
    </message>
    <message>
        <source>With decode_offload: a decoded token, waits for the tier included; the same as the split predicted it.</source>
        <translation>使用 decode_offload 时：解码一个 token 的用时，包括等待层级；以及划分所预测的用时。</translation>
    </message>
    <message>
        <source>prompt eviction</source>
        <translation>提示驱逐</translation>
    </message>
    <message>
        <source>peak KV cache of a request</source>
        <translation>请求的 KV 缓存峰值</translation>
    </message>
    <message>
        <source>max(bytes of the request&apos;s blocks)</source>
        <translation>max(请求的块的字节数)</translation>
    </message>
    <message>
        <source>recomputed context tokens</source>
        <translation>重新计算的上下文 token</translation>
    </message>
    <message>
        <source>%1: is UTF-16; save it as UTF-8</source>
        <translation>%1：是 UTF-16 编码；请另存为 UTF-8</translation>
    </message>
    <message>
        <source>%1: holds NUL bytes, so it is not text; give a text in UTF-8</source>
        <translation>%1：含有 NUL 字节，因此不是文本；请给出 UTF-8 文本</translation>
    </message>
    <message>
        <source>%1: is not UTF-8 (%2 malformed characters); convert it to UTF-8</source>
        <translation>%1：不是 UTF-8（%2 个无效字符）；请转换为 UTF-8</translation>
    </message>
    <message>
        <source>%1: holds more than %2 text files; give a smaller folder</source>
        <translation>%1：含有超过 %2 个文本文件；请给出较小的文件夹</translation>
    </message>
    <message>
        <source>%1: holds neither workload.json nor a text file (.txt, .md); give a workload folder, a text file or a folder of texts</source>
        <translation>%1：既没有 workload.json 也没有文本文件（.txt、.md）；请给出负载文件夹、文本文件或文本文件夹</translation>
    </message>
    <message>
        <source>%1: is neither a file nor a folder; give a text file</source>
        <translation>%1：既不是文件也不是文件夹；请给出文本文件</translation>
    </message>
    <message>
        <source>%1: no such file or folder; check the path</source>
        <translation>%1：没有此文件或文件夹；请检查路径</translation>
    </message>
    <message>
        <source>%1: makes the texts larger than %2 MiB; give fewer or shorter ones</source>
        <translation>%1：加上它后文本超过 %2 MiB；请给出更少或更短的文本</translation>
    </message>
    <message>
        <source>%1: holds no text; give a file with some sentences</source>
        <translation>%1：没有文本；请给出含有若干句子的文件</translation>
    </message>
    <message>
        <source>%1: its files hold no text; give a file with some sentences</source>
        <translation>%1：其中的文件没有文本；请给出含有若干句子的文件</translation>
    </message>
    <message>
        <source>%1: no such model folder; give a Hugging Face folder or a GGUF file with --model</source>
        <translation>%1：没有这个模型文件夹；请用 --model 给出 Hugging Face 文件夹或 GGUF 文件</translation>
    </message>
    <message>
        <source>%1: is not a workload folder; give the folder, or turn a data set into one with `kvantage-cli workload import`</source>
        <translation>%1：不是工作负载文件夹；请给出该文件夹，或用 `kvantage-cli workload import` 把数据集转换成工作负载</translation>
    </message>
    <message>
        <source>workload &apos;%1&apos;: no such file, folder or sample; did you mean &apos;%2&apos;?</source>
        <translation>工作负载“%1”：既不是这里的文件或文件夹，也不是示例；您是不是想用“%2”？</translation>
    </message>
    <message>
        <source>workload &apos;%1&apos;: no such file, folder or sample; check the path, or see `kvantage-cli workload list`</source>
        <translation>工作负载“%1”：既不是这里的文件或文件夹，也不是示例；请检查路径，或查看 `kvantage-cli workload list`</translation>
    </message>
    <message>
        <source>%1: not a JSON object; restore the file</source>
        <translation>%1：不是 JSON 对象；请恢复该文件</translation>
    </message>
    <message>
        <source>%1: store in use by process %2; wait for it, close it or give another folder with --store</source>
        <translation>%1：存储正被进程 %2 使用；请等待、关闭该进程，或用 --store 指定另一个文件夹</translation>
    </message>
    <message>
        <source>%1: store in use by another process; wait for it, close it or give another folder with --store</source>
        <translation>%1：存储正被另一个进程使用；请等待、关闭该进程，或用 --store 指定另一个文件夹</translation>
    </message>
    <message>
        <source>%1: store in use by another tier of this process; give each its own folder</source>
        <translation>%1：存储正被本进程的另一个层级使用；请为每个层级给出各自的文件夹</translation>
    </message>
    <message>
        <source>%1: architecture &apos;%2&apos; is not supported; use a LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM or OPTForCausalLM checkpoint</source>
        <translation>%1：不支持架构“%2”；请使用 LlamaForCausalLM、MistralForCausalLM、Qwen2ForCausalLM、Qwen3ForCausalLM 或 OPTForCausalLM 检查点</translation>
    </message>
    <message>
        <source>%1: opened for reading only; nothing was written</source>
        <translation>%1：仅以只读方式打开；未写入任何内容</translation>
    </message>
    <message>
        <source>%1: canceled; start it again</source>
        <translation>%1：已取消；请重新开始</translation>
    </message>
    <message>
        <source>run &apos;%1&apos;: has no recorded end (it is still running, or was killed); choose one that ended</source>
        <translation>运行“%1”：没有记录结束（仍在运行，或被强行终止）；请选择已结束的运行</translation>
    </message>
    <message>
        <source>%1: has no run &apos;%2&apos;; check the run&apos;s name</source>
        <translation>%1：没有运行“%2”；请检查运行的名称</translation>
    </message>
    <message>
        <source>%1: damaged entry (%2); it is left as it is: move the file aside, then start again</source>
        <translation>%1：条目已损坏（%2）；文件保持原样：请将其移走后重新开始</translation>
    </message>
    <message>
        <source>%1: has run &apos;%2&apos; already; nothing was imported: choose another --db</source>
        <translation>%1：已有运行“%2”；未导入任何内容：请选择另一个 --db</translation>
    </message>
    <message>
        <source>%1: has a run &apos;%2&apos; already; give the new run another name</source>
        <translation>%1：已有名为“%2”的运行；请为新运行另取名称</translation>
    </message>
    <message>
        <source>%1: is a database of another program and is left as it is; choose another --db</source>
        <translation>%1：是其他程序的数据库，保持原样；请选择另一个 --db</translation>
    </message>
    <message>
        <source>%1: has a view, a trigger or a virtual table (&apos;%2&apos;), which no database of this program has; choose another --db</source>
        <translation>%1：含有视图、触发器或虚拟表（“%2”），本程序的数据库都没有；请选择另一个 --db</translation>
    </message>
    <message>
        <source>%1: damaged (%2); it is left as it is: move it aside or restore a copy, then start again</source>
        <translation>%1：已损坏（%2）；文件保持原样：请将其移走或恢复副本后重新开始</translation>
    </message>
    <message>
        <source>%1; the file is left as it is: move it aside, then start again</source>
        <translation>%1；文件保持原样：请将其移走后重新开始</translation>
    </message>
    <message>
        <source>%1: was written by a newer version of this program (schema %2, known up to %3); use that version or choose another --db</source>
        <translation>%1：由本程序的较新版本写入（架构 %2，已知至 %3）；请使用该版本或选择另一个 --db</translation>
    </message>
    <message>
        <source>%1: is empty; create it with a run (--db %2)</source>
        <translation>%1：为空；请通过一次运行创建它（--db %2）</translation>
    </message>
    <message>
        <source>%1: was written by an older version of this program (schema %2 of %3); a run with --db updates it</source>
        <translation>%1：由本程序的较旧版本写入（架构 %2，当前 %3）；使用 --db 运行一次即可更新</translation>
    </message>
    <message>
        <source>%1: its folder cannot be created (%2); choose another --db</source>
        <translation>%1：无法创建其文件夹（%2）；请选择另一个 --db</translation>
    </message>
    <message>
        <source>%1: is read-only; make it writable or choose another --db</source>
        <translation>%1：为只读；请设为可写或选择另一个 --db</translation>
    </message>
    <message>
        <source>%1: is a folder; give a file in it</source>
        <translation>%1：是文件夹；请给出其中的文件</translation>
    </message>
    <message>
        <source>%1: is a pipe, device or socket, not a database; choose another --db</source>
        <translation>%1：是管道、设备或套接字，不是数据库；请选择另一个 --db</translation>
    </message>
    <message>
        <source>%1: no such database: no run was recorded there; start one with `kvantage-cli run`, or check --db</source>
        <translation>%1：不存在；请检查 --db 给出的路径</translation>
    </message>
    <message>
        <source>%1: damaged profile cell (%2); it is left as it is: move the file aside, then start again</source>
        <translation>%1：分析单元已损坏（%2）；文件保持原样：请将其移走后重新开始</translation>
    </message>
    <message>
        <source>%1: event %2 follows %3, so some are missing; choose another run</source>
        <translation>%1：事件 %2 紧接 %3，因此有缺失；请选择另一个运行</translation>
    </message>
    <message>
        <source>tier &apos;%1&apos;: a file names its server, and you did not; if you trust it, add --allow-remote %2</source>
        <translation>层级“%1”：服务器由文件指定，而非由您指定；如果信任它，请添加 --allow-remote %2</translation>
    </message>
    <message>
        <source>context &apos;%1&apos;: %2 tokens leave no room for a question (the model has %3 positions); shorten it or use another model</source>
        <translation>上下文“%1”：%2 个 token 没有为问题留出空间（模型有 %3 个位置）；请缩短它或使用其他模型</translation>
    </message>
    <message>
        <source>context &apos;%1&apos;: with a question and its longest answer %2 tokens (the model has %3 positions); shorten it or use another model</source>
        <translation>上下文“%1”：加上问题和最长回答共 %2 个 token（模型有 %3 个位置）；请缩短它或使用其他模型</translation>
    </message>
    <message>
        <source>context &apos;%1&apos;: has the same tokens as context &apos;%2&apos;; remove one</source>
        <translation>上下文“%1”：与上下文“%2”的 token 相同；请移除一个</translation>
    </message>
    <message>
        <source>unknown parameter &apos;%1&apos;; choose one of %2</source>
        <translation>未知参数“%1”；请选择 %2 之一</translation>
    </message>
    <message>
        <source>unknown %1 &apos;%2&apos;; did you mean &apos;%3&apos;?</source>
        <translation>未知的 %1“%2”；是否想写“%3”？</translation>
    </message>
    <message>
        <source>unknown %1 &apos;%2&apos;; choose one of %3</source>
        <translation>未知的 %1“%2”；请选择 %3 之一</translation>
    </message>
    <message>
        <source>%1: no such model folder; did you mean &apos;%2&apos;?</source>
        <translation>%1：没有这样的模型文件夹；是否想写“%2”？</translation>
    </message>
    <message>
        <source>%1 to %2, %3, %4 s</source>
        <translation>%1 移至 %2，%3，%4 s</translation>
    </message>
    <message>
        <source>tier &apos;%1&apos;: a budget of %2 holds no cache; give it a unit, like %3</source>
        <translation>层级“%1”：预算 %2 放不下任何缓存；请带上单位，例如 %3</translation>
    </message>
    <message>
        <source>layer inputs of the first tokens, whose keys and values are recomputed</source>
        <translation>前部 token 存为层输入，其键和值在加载时重算</translation>
    </message>
    <message>
        <source>hybrid prefill</source>
        <translation>混合预填充</translation>
    </message>
    <message>
        <source>Requests by the way their context came to them, their TTFT, and what was predicted: load, load and recompute from layer inputs, hybrid prefill, recompute of a stored context, prefill.</source>
        <translation>按上下文到达请求的方式统计的请求数、其 TTFT 以及预测值：加载、加载并从层输入重算、混合预填充、重算已存储的上下文、预填充。</translation>
    </message>
    <message>
        <source>By the same way: tokens whose keys and values were computed for a request.</source>
        <translation>按同样的方式：为一个请求计算键和值的 token 数。</translation>
    </message>
    <message>
        <source>Budgets (tokens)</source>
        <translation>预算（token）</translation>
    </message>
    <message>
        <source>Rows that a head may hold after an eviction</source>
        <translation>驱逐之后一个头最多可保留的行数</translation>
    </message>
    <message>
        <source>Rows per block of the pool</source>
        <translation>缓存池每个块的行数</translation>
    </message>
    <message>
        <source>Length of each prompt, of random tokens</source>
        <translation>每个提示的长度，由随机 token 组成</translation>
    </message>
    <message>
        <source>Output (tokens)</source>
        <translation>输出（token）</translation>
    </message>
    <message>
        <source>Tokens that each request decodes</source>
        <translation>每个请求解码的 token 数</translation>
    </message>
    <message>
        <source>Hidden size of the random model, a multiple of 256</source>
        <translation>随机权重模型的隐藏维度，256 的倍数</translation>
    </message>
    <message>
        <source>Seed of weights and prompts</source>
        <translation>权重和提示的随机种子</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并行数</translation>
    </message>
    <message>
        <source>Requests side by side; the pool has room for them</source>
        <translation>并行的请求数；缓存池可容纳它们</translation>
    </message>
    <message>
        <source>throughput of many requests side by side</source>
        <translation>多个请求并行时的吞吐量</translation>
    </message>
    <message>
        <source>The paper&apos;s throughput setup scaled to this machine: prompts of random tokens and long outputs on a random-weight Llama of 4 layers. First the same number of requests side by side, which shows what the kernels gain; then the same pool, in which smaller caches leave room for larger batches. Eviction of single tokens runs without compaction, as in vLLM, where a block is freed when all of its tokens are evicted, and with it.</source>
        <translation>按本机规模缩小的论文吞吐量实验：在 4 层随机权重 Llama 上使用随机 token 的提示和较长的输出。先让相同数量的请求并行，显示内核带来的收益；再使用相同的缓存池，较小的缓存可以容纳更大的批次。逐 token 驱逐分别在不压实（如 vLLM，块中所有 token 都被驱逐后才释放该块）和压实两种情况下运行。</translation>
    </message>
    <message>
        <source>PagedEviction is faster than the full cache and about as fast as StreamingLLM; eviction of single tokens gains little without compaction. In the same pool the gain is larger.</source>
        <translation>PagedEviction 比完整缓存更快，与 StreamingLLM 相当；不压实时逐 token 驱逐收益很小。在相同的缓存池中收益更大。</translation>
    </message>
    <message>
        <source>LLaMA-3.2-1B on an A100, 64 requests of 1,024 + 8,192 tokens, budget 1,024: PagedEviction about 3020 tokens/s, StreamingLLM 2920, inverse key L2 and KeyDiff 2170, full cache 2200; time per output token 10 to 12 % below the full cache&apos;s</source>
        <translation>A100 上的 LLaMA-3.2-1B，64 个请求，每个 1,024 + 8,192 token，预算 1,024：PagedEviction 约 3020 token/s，StreamingLLM 2920，逆键 L2 和 KeyDiff 2170，完整缓存 2200；每个输出 token 的时间比完整缓存低 10 到 12 %</translation>
    </message>
    <message>
        <source>a generation of 32K tokens at a budget of 3,072</source>
        <translation>预算为 3,072 时生成 32K token</translation>
    </message>
    <message>
        <source>One request decodes 32K tokens on a random-weight Llama of 4 layers, with the full cache and with each eviction method at the budget, without compaction and with repack: speed, KV memory, time of compaction.</source>
        <translation>一个请求在 4 层随机权重 Llama 上解码 32K token，使用完整缓存，以及各驱逐方法在该预算下（不压实与 repack）：速度、KV 内存、压实时间。</translation>
    </message>
    <message>
        <source>The full cache slows down as it grows; at a budget the speed stays the same. Without compaction, eviction of single tokens frees few blocks.</source>
        <translation>完整缓存随长度增长而变慢；有预算时速度保持不变。不压实时，逐 token 驱逐释放的块很少。</translation>
    </message>
    <message>
        <source>TriAttention, decoding 32K tokens at a budget of 3,072: 2.5 times as fast (563.5 against 222.8 tokens/s) with 10.7 times less KV memory</source>
        <translation>TriAttention，预算 3,072 时解码 32K token：速度为 2.5 倍（563.5 对 222.8 token/s），KV 内存为 1/10.7</translation>
    </message>
    <message>
        <source>budget tokens</source>
        <translation>预算 token</translation>
    </message>
    <message>
        <source>side by side</source>
        <translation>并行数</translation>
    </message>
    <message>
        <source>x full cache</source>
        <translation>相对完整缓存</translation>
    </message>
    <message>
        <source>ms/output token</source>
        <translation>毫秒/输出 token</translation>
    </message>
    <message>
        <source>peak KV MB</source>
        <translation>KV 峰值 MB</translation>
    </message>
    <message>
        <source>KV of the full cache / its own</source>
        <translation>完整缓存的 KV / 自身的 KV</translation>
    </message>
    <message>
        <source>ms/step deciding</source>
        <translation>每步决策毫秒</translation>
    </message>
    <message>
        <source>compaction % of decoding</source>
        <translation>压实占解码 %</translation>
    </message>
    <message>
        <source>preempted</source>
        <translation>被抢占</translation>
    </message>
    <message>
        <source>inverse key L2, keydiff</source>
        <translation>逆键 L2、keydiff</translation>
    </message>
    <message>
        <source>The same number side by side: what the kernels gain</source>
        <translation>相同并行数：内核带来的收益</translation>
    </message>
    <message>
        <source>The same pool, %1 tokens of it: larger batches as well, as many requests as it has room for</source>
        <translation>相同的缓存池（%1 token）：批次也更大，能容纳多少请求就并行多少</translation>
    </message>
    <message>
        <source>Paper: LLaMA-3.2-1B on an A100, 64 requests of 1,024 + 8,192 tokens, budget 1,024</source>
        <translation>论文：A100 上的 LLaMA-3.2-1B，64 个请求，每个 1,024 + 8,192 token，预算 1,024</translation>
    </message>
    <message>
        <source>A long generation</source>
        <translation>长生成</translation>
    </message>
    <message>
        <source>Article: TriAttention, decoding 32K tokens at a budget of 3,072</source>
        <translation>文章：TriAttention，预算 3,072 时解码 32K token</translation>
    </message>
    <message>
        <source>same batch, budget %1: paged_eviction has %2 times the throughput of %3</source>
        <translation>相同批次，预算 %1：paged_eviction 的吞吐量是 %3 的 %2 倍</translation>
    </message>
    <message>
        <source>same pool, budget %1: paged_eviction has %2 times the throughput of %3</source>
        <translation>相同缓存池，预算 %1：paged_eviction 的吞吐量是 %3 的 %2 倍</translation>
    </message>
    <message>
        <source>the tier has no space for the model&apos;s matrices</source>
        <translation>该层级没有空间存放模型的矩阵</translation>
    </message>
    <message>
        <source>the model&apos;s matrices could not be written to the tier</source>
        <translation>无法将模型的矩阵写入该层级</translation>
    </message>
    <message>
        <source>%1, %2 side by side</source>
        <translation>%1，并行 %2</translation>
    </message>
    <message>
        <source>packed matrices of the model cannot be streamed</source>
        <translation>模型的打包矩阵无法流式读取</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求数</translation>
    </message>
    <message>
        <source>Number of requests, all at once where the pool has room for them</source>
        <translation>请求数；缓存池能容纳时全部并行</translation>
    </message>
    <message>
        <source>the full cache</source>
        <translation>完整缓存</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a way of serving; write auto, hybrid, prefill or off</source>
        <translation>“%1”不是一种服务方式；请写 auto、hybrid、prefill 或 off</translation>
    </message>
    <message>
        <source>calibration, n</source>
        <translation>校准次数</translation>
    </message>
    <message>
        <source>calibration ms</source>
        <translation>校准耗时 ms</translation>
    </message>
    <message>
        <source>calibration moved %</source>
        <translation>校准偏移 %</translation>
    </message>
    <message>
        <source>nothing is said about time: the machine was disturbed, the calibration moved by %1 % (at most %2 % is accepted); run it again while nothing else runs</source>
        <translation>不对时间作判断：机器受到干扰，校准偏移 %1 %（最多允许 %2 %）；请在没有其他程序运行时重新运行</translation>
    </message>
    <message>
        <source>With decode_offload, per decoded token: tokens of each layer recomputed from layer inputs; bytes read: layer inputs, keys, values and streamed matrices.</source>
        <translation>使用 decode_offload 时，每解码一个 token：每层从层输入重算的 token 数；读取的字节数：层输入、键、值和流式读取的矩阵。</translation>
    </message>
    <message>
        <source>on reference-mha, knorm and paged_eviction work by construction: training taught its key norms which tokens get attention</source>
        <translation>在 reference-mha 上，knorm 和 paged_eviction 按构造有效：训练使其键的范数预示哪些 token 会得到注意力</translation>
    </message>
    <message>
        <source>exact match %</source>
        <translation>完全匹配 %</translation>
    </message>
    <message>
        <source>ms deciding</source>
        <translation>决策 ms</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>压实遍数</translation>
    </message>
    <message>
        <source>page summary KiB</source>
        <translation>页摘要 KiB</translation>
    </message>
    <message>
        <source>KV entries read %</source>
        <translation>读取的 KV 条目 %</translation>
    </message>
    <message>
        <source>prefill ms</source>
        <translation>预填充 ms</translation>
    </message>
    <message>
        <source>scattered, 9 of 10</source>
        <translation>分散，10 个中的 9 个</translation>
    </message>
    <message>
        <source>one aligned block</source>
        <translation>一个对齐的块</translation>
    </message>
    <message>
        <source>all but one per block</source>
        <translation>每块只留一个</translation>
    </message>
    <message>
        <source>toy: 4 of 24</source>
        <translation>小例子：24 个中的 4 个</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>queries x keys</source>
        <translation>查询 x 键</translation>
    </message>
    <message>
        <source>scores</source>
        <translation>得分</translation>
    </message>
    <message>
        <source>full matrix / its own</source>
        <translation>完整矩阵 / 自身</translation>
    </message>
    <message>
        <source>full matrix</source>
        <translation>完整矩阵</translation>
    </message>
    <message>
        <source>fused, in tiles</source>
        <translation>融合，分块</translation>
    </message>
    <message>
        <source>keys and values / bandwidth, % of the time</source>
        <translation>键和值 / 带宽，占时间 %</translation>
    </message>
    <message>
        <source>layer inputs / bandwidth, % of the time</source>
        <translation>层输入 / 带宽，占时间 %</translation>
    </message>
    <message>
        <source>recompute ms</source>
        <translation>重算 ms</translation>
    </message>
    <message>
        <source>after all weights</source>
        <translation>在全部权重之后</translation>
    </message>
    <message>
        <source>after W_K and W_V</source>
        <translation>在 W_K 和 W_V 之后</translation>
    </message>
    <message>
        <source>half of the given one</source>
        <translation>给定值的一半</translation>
    </message>
    <message>
        <source>half of the break-even one</source>
        <translation>平衡点值的一半</translation>
    </message>
    <message>
        <source>break-even: loading a token takes as long as recomputing it</source>
        <translation>平衡点：加载一个 token 与重算它耗时相同</translation>
    </message>
    <message>
        <source>memory throttled to %1 MB/s, fitted %2 MB/s + %3 ms</source>
        <translation>内存，限速 %1 MB/s，拟合 %2 MB/s + %3 ms</translation>
    </message>
    <message>
        <source>%1, answers</source>
        <translation>%1，回答</translation>
    </message>
    <message>
        <source>%1, block %2</source>
        <translation>%1，区组 %2</translation>
    </message>
    <message>
        <source>claim</source>
        <translation>论断</translation>
    </message>
    <message>
        <source>paper</source>
        <translation>论文</translation>
    </message>
    <message>
        <source>unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>here</source>
        <translation>此处</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 区间</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>比值</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>区组</translation>
    </message>
    <message>
        <source>Number of blocks: each times every cell once, in an order drawn for it; intervals are over the blocks</source>
        <translation>区组数：每个区组以为其抽取的顺序对每个单元计时一次；区间取自各区组</translation>
    </message>
    <message>
        <source>GovReport, LLaMA-3.2-1B, budget 1024: PagedEviction about 24.5, StreamingLLM 21, KeyDiff 21.2; at 4096 29.5 where the full cache has 30. MultiNews, 3B, 1024: 23.6 against 22.5 (inverse key L2) and 22.0 (StreamingLLM); at 4096 it nearly matches the full cache, about 24.5</source>
        <translation>GovReport，LLaMA-3.2-1B，预算 1024：PagedEviction 约 24.5，StreamingLLM 21，KeyDiff 21.2；预算 4096 时为 29.5，完整缓存为 30。MultiNews，3B，1024：23.6，对比 22.5（逆键 L2）和 22.0（StreamingLLM）；预算 4096 时几乎与完整缓存的约 24.5 持平</translation>
    </message>
    <message>
        <source>The article&apos;s own cases in the real pool, with and without compaction; scores that attention holds at once, as a full matrix and in tiles; and the overhead of scoring one context during prefill, by method, in blocks.</source>
        <translation>文章自己的例子在真实的池中，有压实和无压实；注意力以完整矩阵和分块计算时同时保存的得分；以及各方法在预填充期间为一个上下文打分的开销，按区组测量。</translation>
    </message>
    <message>
        <source>blocks held and slot copies with and without compaction</source>
        <translation>有无压实时占用的块和槽位拷贝</translation>
    </message>
    <message>
        <source>Every eviction method decodes the same steps with repack, with hole filling and without compaction, by page size: blocks freed, copies, time per pass.</source>
        <translation>每种驱逐方法以重新打包、填补空洞和不压实三种方式解码相同的步骤，按页大小：释放的块、拷贝次数、每遍压实的时间。</translation>
    </message>
    <message>
        <source>where loading a token takes as long as recomputing it</source>
        <translation>使加载一个 token 与重算它耗时相同的带宽</translation>
    </message>
    <message>
        <source>Number of blocks: each measures every cell once, in an order drawn for it; intervals are over the blocks</source>
        <translation>区组数：每个区组以为其抽取的顺序测量每个单元一次；区间取自各区组</translation>
    </message>
    <message>
        <source> A random-weight OPT of 4 layers with heads 64 wide, on a tier in memory throttled to a bandwidth, by default so that loading a token takes as long as recomputing it.</source>
        <translation>随机权重的 OPT，4 层，头宽 64；层级在内存中，限速到某一带宽，默认使加载一个 token 与重算它耗时相同。</translation>
    </message>
    <message>
        <source>Batches of 1, 2, 4, 8, 16 and 32 sequences column by column, with every layer&apos;s matrices streamed from the tier once per step: loading alone (as FlexGen does), the split that starts after all weights, and the split that starts after W_K and W_V.%1</source>
        <translation>1、2、4、8、16 和 32 个序列的批按列解码，每层的矩阵每步从层级流式传送一次：仅加载（FlexGen 的做法）、在全部权重之后开始的拆分、在 W_K 和 W_V 之后开始的拆分。%1</translation>
    </message>
    <message>
        <source>Shares of a step: waiting for the link, recomputing keys and values, everything else; bytes of keys and values and of layer inputs, and the share of the time that they take at the link&apos;s bandwidth; share of the time that the processor is busy (its figure 8).%1</source>
        <translation>一步中的占比：等待链路、重算键和值、其余一切；键和值及层输入的字节，以及它们按链路带宽所占时间的比例；处理器忙碌时间的占比（其图 8）。%1</translation>
    </message>
    <message>
        <source>Prompts of a quarter, half and all of the length, a quarter and all of the generated tokens, decoded as a batch: loading alone (Accelerate) versus the solved split. A random-weight Llama of 4 layers (heads 64 wide with keys and values each, RoPE, RMSNorm, gated MLP), on a tier in memory throttled to a bandwidth, by default so that loading a token takes as long as recomputing it.</source>
        <translation>提示为全长的四分之一、一半和全部，生成 token 为四分之一和全部，整批解码：仅加载（Accelerate）与求解的拆分对比。随机权重的 Llama，4 层（头宽 64，各有自己的键和值，RoPE、RMSNorm、门控 MLP）；层级在内存中，限速到某一带宽，默认使加载一个 token 与重算它耗时相同。</translation>
    </message>
    <message>
        <source>Prompts of a quarter, half and all of the length, prefilled and written with their layer inputs, are restored into a resident cache: loading keys and values alone, recomputing all of them from layer inputs, and the solved split; measured and predicted seconds and bytes, averaged over the blocks. Each cache is compared with the prefill&apos;s, bit for bit.%1 On the command line, --model selects another model.</source>
        <translation>提示为全长的四分之一、一半和全部，预填充后连同层输入写出，再恢复到常驻缓存中：仅加载键和值、全部由层输入重算、求解的拆分；实测和预测的秒数与字节，为各区组的平均值。每个缓存都与预填充的缓存逐位比较。%1在命令行上可用 --model 选择其他模型。</translation>
    </message>
    <message>
        <source>Claims of the paper</source>
        <translation>论文的论断</translation>
    </message>
    <message>
        <source>claims of the paper: %1</source>
        <translation>论文的论断：%1</translation>
    </message>
    <message>
        <source>agrees %1</source>
        <translation>一致 %1</translation>
    </message>
    <message>
        <source>contradicts %1</source>
        <translation>不符 %1</translation>
    </message>
    <message>
        <source>cannot tell %1</source>
        <translation>无法判断 %1</translation>
    </message>
    <message>
        <source>cannot tell at this n %1</source>
        <translation>以此样本量无法判断 %1</translation>
    </message>
    <message>
        <source>not measured with these settings %1</source>
        <translation>以这些设置未测量 %1</translation>
    </message>
    <message>
        <source>withheld %1</source>
        <translation>不予判定 %1</translation>
    </message>
    <message>
        <source>agrees</source>
        <translation>一致</translation>
    </message>
    <message>
        <source>contradicts: smaller</source>
        <translation>不符：偏小</translation>
    </message>
    <message>
        <source>contradicts: larger</source>
        <translation>不符：偏大</translation>
    </message>
    <message>
        <source>cannot tell at this n</source>
        <translation>以此样本量无法判断</translation>
    </message>
    <message>
        <source>cannot tell: no interval</source>
        <translation>无法判断：没有区间</translation>
    </message>
    <message>
        <source>cannot tell: the paper gives no number</source>
        <translation>无法判断：论文未给出数字</translation>
    </message>
    <message>
        <source>not measured with these settings</source>
        <translation>以这些设置未测量</translation>
    </message>
    <message>
        <source>withheld: the machine was disturbed</source>
        <translation>不予判定：机器受到干扰</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>至多 %1</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>up to %1</source>
        <translation>最高 %1</translation>
    </message>
    <message>
        <source>none of %1 reaches the quality of any of its points</source>
        <translation>%1都没有达到其任何一点的质量</translation>
    </message>
    <message>
        <source>none of %1 reaches the TTFT of any of its points</source>
        <translation>%1都没有达到其任何一点的 TTFT</translation>
    </message>
    <message>
        <source>no point is within 3 % of full quality: no comparison with prefill or lru</source>
        <translation>没有点在完整质量的 3 % 以内：无法与 prefill 或 lru 比较</translation>
    </message>
    <message>
        <source>%1, in the last part quality is %2 with re-profiling and %3 without: %4 higher</source>
        <translation>%1，在最后一段，有重新剖析时质量为 %2，没有时为 %3：高 %4</translation>
    </message>
    <message>
        <source>%1, from the first part to the last quality falls by %2 % without re-profiling and by %3 % with it</source>
        <translation>%1，从第一段到最后一段，质量在没有重新剖析时下降 %2 %，有重新剖析时下降 %3 %</translation>
    </message>
    <message>
        <source>%1: the drift costs no quality here</source>
        <translation>%1：此处漂移不损失质量</translation>
    </message>
    <message>
        <source>%1: quality recovers</source>
        <translation>%1：质量恢复</translation>
    </message>
    <message>
        <source>%1: quality does not recover</source>
        <translation>%1：质量未恢复</translation>
    </message>
    <message>
        <source>%1, re-profiled</source>
        <translation>%1，重新剖析</translation>
    </message>
    <message>
        <source>%1, profiled once</source>
        <translation>%1，只剖析一次</translation>
    </message>
    <message>
        <source>%1; not covered by the paper</source>
        <translation>%1；论文未涉及</translation>
    </message>
    <message>
        <source>%1: a smaller maximum gain than with unchanged tiers</source>
        <translation>%1：最大收益小于未改变的层级</translation>
    </message>
    <message>
        <source>%1: no smaller gain than with unchanged tiers</source>
        <translation>%1：收益不小于未改变的层级</translation>
    </message>
    <message>
        <source>attention in tiles holds %1 times fewer scores; its outputs differ by at most %2</source>
        <translation>分块计算的注意力同时保存的得分仅为 1/%1；其输出的差异至多为 %2</translation>
    </message>
    <message>
        <source>two caches whose outputs differ by at most %1 differ by %2 in the attention that one token collects</source>
        <translation>两个输出差异至多为 %1 的缓存，一个 token 所得的注意力相差 %2</translation>
    </message>
    <message>
        <source>the split takes %1 less time than loading alone</source>
        <translation>拆分比仅加载少用 %1 的时间</translation>
    </message>
    <message>
        <source>the processor is busy for %1 of the time loading alone and for %2 with the split</source>
        <translation>处理器忙碌时间的占比在仅加载时为 %1，使用拆分时为 %2</translation>
    </message>
    <message>
        <source>between %1 and %2 of %3 offloaded tokens are recomputed, from %4 at the first to %5 at the last, averaged over the blocks</source>
        <translation>%3 个卸载的 token 中重算 %1 到 %2 个，从第一步的 %4 个到最后一步的 %5 个，为各区组的平均值</translation>
    </message>
    <message>
        <source>%1: the processor stalls</source>
        <translation>%1：处理器停顿</translation>
    </message>
    <message>
        <source>%1: the processor does not stall at every width</source>
        <translation>%1：并非在每个宽度下处理器都停顿</translation>
    </message>
    <message>
        <source>the split decodes %1 more tokens per second than %2</source>
        <translation>拆分每秒解码的 token 比%2多 %1</translation>
    </message>
    <message>
        <source>the largest batch gains %1, a single sequence %2</source>
        <translation>最大的批收益 %1，单个序列收益 %2</translation>
    </message>
    <message>
        <source>the split after W_K and W_V takes %1 less time than loading alone</source>
        <translation>在 W_K 和 W_V 之后的拆分比仅加载少用 %1 的时间</translation>
    </message>
    <message>
        <source>recomputing keys and values overlaps with loading the others</source>
        <translation>重算键和值与加载其余部分重叠</translation>
    </message>
    <message>
        <source>recomputing did not pay off in this step</source>
        <translation>在这一步重算不值得</translation>
    </message>
    <message>
        <source>Blocks of the pool</source>
        <translation>缓存池的块</translation>
    </message>
    <message>
        <source>Scores of one head in memory at once</source>
        <translation>一个头同时在内存中的得分</translation>
    </message>
    <message>
        <source>Decode throughput with weights streamed each step, column by column</source>
        <translation>权重每步流式传送、按列解码时的吞吐量</translation>
    </message>
    <message>
        <source>Throughput of the split over loading alone</source>
        <translation>拆分的吞吐量与仅加载之比</translation>
    </message>
    <message>
        <source>%1 at %2 tokens is %3 times as fast as the full cache with 1/%4 of its KV memory; compaction takes %5 % of decoding</source>
        <translation>%1 在 %2 token 时的速度是完整缓存的 %3 倍，KV 内存为其 1/%4；压实占解码的 %5 %</translation>
    </message>
    <message>
        <source>interval</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>median drop of quality</source>
        <translation>质量下降的中位数</translation>
    </message>
    <message>
        <source>TTFT of the other / TTFT of evicpress</source>
        <translation>其他策略的 TTFT / evicpress 的 TTFT</translation>
    </message>
    <message>
        <source>TTFT of the others / TTFT of adaptcache</source>
        <translation>其他策略的 TTFT / adaptcache 的 TTFT</translation>
    </message>
    <message>
        <source>% of requests</source>
        <translation>占请求的 %</translation>
    </message>
    <message>
        <source>% of the time</source>
        <translation>占时间的 %</translation>
    </message>
    <message>
        <source>% of the step</source>
        <translation>占步骤的 %</translation>
    </message>
    <message>
        <source>decode latency, s</source>
        <translation>解码延迟，s</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>cumulative share</source>
        <translation>累积占比</translation>
    </message>
    <message>
        <source>paper: medians of six data sets</source>
        <translation>论文：六个数据集的中位数</translation>
    </message>
    <message>
        <source>paper: prefill, 3 % near full</source>
        <translation>论文：prefill，与完整质量相差 3 % 以内</translation>
    </message>
    <message>
        <source>paper: lru, 3 % near full</source>
        <translation>论文：lru，与完整质量相差 3 % 以内</translation>
    </message>
    <message>
        <source>paper: fixed compression</source>
        <translation>论文：固定压缩</translation>
    </message>
    <message>
        <source>paper: keys and values / bandwidth, % of the time</source>
        <translation>论文：键和值 / 带宽，占时间的 %</translation>
    </message>
    <message>
        <source>paper: layer inputs / bandwidth, % of the time</source>
        <translation>论文：层输入 / 带宽，占时间的 %</translation>
    </message>
    <message>
        <source>paper: processor computes %</source>
        <translation>论文：处理器计算 %</translation>
    </message>
    <message>
        <source>paper: after all weights</source>
        <translation>论文：全部权重之后</translation>
    </message>
    <message>
        <source>paper: after W_K and W_V</source>
        <translation>论文：W_K 和 W_V 之后</translation>
    </message>
    <message>
        <source>article: TriAttention</source>
        <translation>文章：TriAttention</translation>
    </message>
    <message>
        <source>policy &apos;%1&apos;: keeps no token of a context; keep more of them, e.g. important_fraction(kept=0.5)</source>
        <translation>策略“%1”：不保留上下文的任何 token；请保留更多，例如 important_fraction(kept=0.5)</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a re-profiling rule; did you mean &apos;%2&apos;?</source>
        <translation>“%1”不是重新剖析规则；您是指“%2”吗？</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a re-profiling rule; write below(0.7), relative(0.3) or absolute(0.3)</source>
        <translation>“%1”不是重新剖析规则；请写 below(0.7)、relative(0.3) 或 absolute(0.3)</translation>
    </message>
    <message>
        <source>&apos;%1&apos; needs one number in parentheses; write %2</source>
        <translation>“%1”的括号内需要一个数；请写 %2</translation>
    </message>
    <message>
        <source>&apos;%1&apos; has no number from 0 to 1; write %2</source>
        <translation>“%1”中没有 0 到 1 的数；请写 %2</translation>
    </message>
    <message>
        <source>is longer than 100 bytes; shorten it</source>
        <translation>长于 100 字节；请缩短</translation>
    </message>
    <message>
        <source>Re-profile when</source>
        <translation>何时重新剖析</translation>
    </message>
    <message>
        <source>When a context is re-profiled: the quality of its answers falls short of their profile by a difference, absolute(0.3), or by a share, relative(0.3), or is below a value, below(0.7)</source>
        <translation>何时重新剖析一个上下文：其回答的质量比剖析结果低一个差值 absolute(0.3)，或低一个比例 relative(0.3)，或低于一个值 below(0.7)</translation>
    </message>
    <message>
        <source>Questions per context for the initial quality curve, as in the paper; 0: all</source>
        <translation>初始质量曲线中每个上下文的问题数，与论文相同；0：全部</translation>
    </message>
    <message>
        <source>stores every context whole in chunks of tokens and reads those that hold tokens important to the question</source>
        <translation>将每个上下文完整地按 token 块存储，并读取含有对问题重要的 token 的块</translation>
    </message>
    <message>
        <source>tokens of a chunk</source>
        <translation>每块的 token 数</translation>
    </message>
    <message>
        <source>KV heads whose keys are read first, to find the important tokens</source>
        <translation>先读取其键以找出重要 token 的 KV 头数</translation>
    </message>
    <message>
        <source>rows as stored in memory, in chunks of tokens that can be read alone</source>
        <translation>与内存中相同的行，按可单独读取的 token 块存储</translation>
    </message>
    <message>
        <source>Relative drop of quality of each context</source>
        <translation>每个上下文的质量相对下降</translation>
    </message>
    <message>
        <source>Measured points by family, 95 % intervals over contexts</source>
        <translation>按族实测的点，95 % 区间按上下文</translation>
    </message>
    <message>
        <source>contexts stored whole, in chunks; a hit reads those that hold tokens important to the question</source>
        <translation>上下文完整地按块存储；命中时读取含有对问题重要的 token 的块</translation>
    </message>
    <message>
        <source>Memory of a request&apos;s KV cache at the last token of its answer.</source>
        <translation>请求的回答到最后一个 token 时其 KV 缓存占用的内存。</translation>
    </message>
    <message>
        <source>Answers decoded with decode-time eviction; KV entries evicted over all layers and heads, and the time to choose them, summed over these answers.</source>
        <translation>使用解码期驱逐解码的回答数；所有层和头上驱逐的 KV 条目数及选择它们的用时，均为这些回答的总和。</translation>
    </message>
    <message>
        <source>Summed over answers decoded with decode-time eviction: blocks freed by eviction itself; compaction passes, blocks freed by them, and their time.</source>
        <translation>使用解码期驱逐解码的回答的总和：驱逐本身释放的块；压实次数、压实释放的块及其用时。</translation>
    </message>
    <message>
        <source>drops the page of lowest mean ||v|| / ||k|| when the newest page is full and the budget is exceeded</source>
        <translation>当最新一页写满且超出预算时，丢弃平均 ||v|| / ||k|| 最低的页</translation>
    </message>
    <message>
        <source>Many texts asked about equally often; DRAM holds a fiftieth of their KV, SSD a fifth, and a remote tier all of it.</source>
        <translation>许多文本，被提问的频率相同；DRAM 容纳其 KV 的五十分之一，SSD 容纳五分之一，远程层级容纳全部。</translation>
    </message>
    <message>
        <source>The same with DRAM for two fifths of the KV, as in the simulator of EvicPress&apos;s authors: little is left to choose.</source>
        <translation>同上，但 DRAM 容纳 KV 的五分之二，与 EvicPress 作者的模拟器相同：几乎没有选择余地。</translation>
    </message>
    <message>
        <source>Every text is asked about once, then any of them equally often; SSD holds four times what DRAM does, and a load from it takes as long as prefill.</source>
        <translation>每个文本先被提问一次，之后被提问的频率相同；SSD 的容量是 DRAM 的四倍，从中加载与预填充耗时相同。</translation>
    </message>
    <message>
        <source>budget in % of KV, %1</source>
        <translation>预算占 KV 的 %，%1</translation>
    </message>
    <message>
        <source>load / prefill, %1</source>
        <translation>加载 / 预填充，%1</translation>
    </message>
    <message>
        <source>no verdict: %1 is %2, %3 % off the regime&apos;s %4</source>
        <translation>无判定：%1 为 %2，与范式的 %4 相差 %3 %</translation>
    </message>
    <message>
        <source>no verdict: %1 is %2, not unlimited</source>
        <translation>无判定：%1 为 %2，而非无限制</translation>
    </message>
    <message>
        <source>no verdict: %1 is unlimited, not %2</source>
        <translation>无判定：%1 无限制，而非 %2</translation>
    </message>
    <message>
        <source>%1 is %2, %3 % off the regime&apos;s %4</source>
        <translation>%1 为 %2，与范式的 %4 相差 %3 %</translation>
    </message>
    <message>
        <source>%1 is %2, not unlimited</source>
        <translation>%1 为 %2，而非无限制</translation>
    </message>
    <message>
        <source>%1 is unlimited, not %2</source>
        <translation>%1 无限制，而非 %2</translation>
    </message>
    <message>
        <source>KV cache at the end of an answer</source>
        <translation>回答结束时的 KV 缓存</translation>
    </message>
    <message>
        <source>evicpress by</source>
        <translation>evicpress 的规则</translation>
    </message>
    <message>
        <source>regime</source>
        <translation>范式</translation>
    </message>
    <message>
        <source>what</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>off %</source>
        <translation>相差 %</translation>
    </message>
    <message>
        <source>Total tier budget, as a share of the contexts&apos; uncompressed bytes; in a paper&apos;s regime the budget of the fastest tier</source>
        <translation>所有层级的总预算，以未压缩上下文字节的份额计；在论文的范式内为最快层级的预算</translation>
    </message>
    <message>
        <source>those of the regime; %1 outside of one</source>
        <translation>范式的取值；范式之外为 %1</translation>
    </message>
    <message>
        <source>those of the regime; five scaled to the profiles outside of one</source>
        <translation>范式的取值；范式之外为按剖析结果缩放的五个</translation>
    </message>
    <message>
        <source>that of the regime; %1 outside of one</source>
        <translation>范式的取值；范式之外为 %1</translation>
    </message>
    <message>
        <source>Of each context: 36 forms of every context answer them</source>
        <translation>每个上下文的问题数：每个上下文的 36 种形式都回答它们</translation>
    </message>
    <message>
        <source>Folder of a workload, or the name of one</source>
        <translation>工作负载的文件夹，或其名称</translation>
    </message>
    <message>
        <source>Policies as text forms, comma-separated: full_prefill, lru, fixed(METHOD,REMOVED_FRACTION), evicpress(quality=raw)</source>
        <translation>以文本形式给出的策略，用逗号分隔：full_prefill、lru、fixed(METHOD,REMOVED_FRACTION)、evicpress(quality=raw)</translation>
    </message>
    <message>
        <source>prefill, lru, lfu, s3fifo, gdsf, every fixed configuration + LRU, impress at three shares, adaptcache, evicpress by the paper&apos;s two rules, that of its authors&apos; code, and ours</source>
        <translation>预填充、lru、lfu、s3fifo、gdsf、每种固定配置加 LRU、三种份额的 impress、adaptcache，以及按论文的两种规则、其作者代码的规则和本项目的规则的 evicpress</translation>
    </message>
    <message>
        <source>Full prefill, LRU, LFU, S3-FIFO, GDSF, every fixed configuration + LRU, IMPRESS, AdaptCache and evicpress serve the same requests under each budget. IMPRESS stores contexts whole, in chunks, and reads those that hold tokens important to the question. In the paper&apos;s regime evicpress chooses among the paper&apos;s methods; codecs are in rows of their own. Figures 7, 9, 11 and 12 are views of the same runs, which evicpress/runs performs once for all four.</source>
        <translation>完全预填充、LRU、LFU、S3-FIFO、GDSF、每种固定配置加 LRU、IMPRESS、AdaptCache 和 evicpress 在每种预算下服务相同的请求。IMPRESS 将上下文整体分块存储，并读取包含对问题重要的 token 的块。在论文的范式内，evicpress 在论文的方法中选择；编解码器单独成行。图 7、9、11 和 12 是同一批运行的不同视图，evicpress/runs 为四者一次性执行这些运行。</translation>
    </message>
    <message>
        <source>pooled: shrunk towards other contexts; raw (paper): means over the profile</source>
        <translation>pooled：向其他上下文收缩；raw（论文）：剖析问题上的均值</translation>
    </message>
    <message>
        <source>withheld: not in the paper&apos;s regime</source>
        <translation>不作判定：不在论文的范式内</translation>
    </message>
    <message>
        <source>the workload is not in the paper&apos;s regime</source>
        <translation>该工作负载不在论文的范式内</translation>
    </message>
    <message>
        <source>the paper&apos;s rule was not run, which is evicpress(quality=raw): no claim of the paper is compared</source>
        <translation>未运行论文的规则，即 evicpress(quality=raw)：不比较论文的任何论断</translation>
    </message>
    <message>
        <source>section 4.4</source>
        <translation>第 4.4 节</translation>
    </message>
    <message>
        <source>section 4.4, %1</source>
        <translation>第 4.4 节，%1</translation>
    </message>
    <message>
        <source>algorithm 1</source>
        <translation>算法 1</translation>
    </message>
    <message>
        <source>algorithm 1, %1</source>
        <translation>算法 1，%1</translation>
    </message>
    <message>
        <source>Regime %1, and the sessions beside it</source>
        <translation>范式 %1，以及各会话的取值</translation>
    </message>
    <message>
        <source>evicpress by %1 at %2 % of the bytes: %3</source>
        <translation>evicpress（%1），占字节的 %2 %：%3</translation>
    </message>
    <message>
        <source>end-to-end latency s</source>
        <translation>端到端延迟 s</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>未计入</translation>
    </message>
    <message>
        <source>simulated contexts</source>
        <translation>模拟的上下文</translation>
    </message>
    <message>
        <source>simulated tiers</source>
        <translation>模拟的层级</translation>
    </message>
    <message>
        <source>simulated tokens, mean</source>
        <translation>模拟的 token 数，平均</translation>
    </message>
    <message>
        <source>simulated KV, GB</source>
        <translation>模拟的 KV，GB</translation>
    </message>
    <message>
        <source>KV bytes per token</source>
        <translation>每 token 的 KV 字节</translation>
    </message>
    <message>
        <source>seconds per token</source>
        <translation>每 token 秒数</translation>
    </message>
    <message>
        <source>lengths</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>request order</source>
        <translation>请求顺序</translation>
    </message>
    <message>
        <source>quality curves</source>
        <translation>质量曲线</translation>
    </message>
    <message>
        <source>log-normal for each data set: mean of table 1, variation of table 2</source>
        <translation>每个数据集为对数正态：均值取表 1，离散度取表 2</translation>
    </message>
    <message>
        <source>each context once, then uniform</source>
        <translation>每个上下文一次，然后均匀</translation>
    </message>
    <message>
        <source>expected on future questions, by the curve of the measured context</source>
        <translation>对未来问题的期望，按实测上下文的曲线</translation>
    </message>
    <message>
        <source>%1, paper&apos;s scale</source>
        <translation>%1，论文规模</translation>
    </message>
    <message>
        <source>%1, session&apos;s contexts</source>
        <translation>%1，会话的上下文</translation>
    </message>
    <message>
        <source>no context of the session has a quality curve; give a workload with profile questions</source>
        <translation>会话中没有上下文具有质量曲线；请给出带画像问题的工作负载</translation>
    </message>
    <message>
        <source>what %1 reads depends on the text of each question, which is not simulated; leave it out</source>
        <translation>%1 读取的内容取决于每个问题的文本，而文本不被模拟；请去掉它</translation>
    </message>
    <message>
        <source>Requests arrive as in Azure&apos;s trace of conversations, and questions about each context drift in the middle of the run; served once with re-profiling and once without, in eight parts of the run. Quality leaves out questions that re-profiling had used.</source>
        <translation>请求按 Azure 对话轨迹的时间到达，每个上下文的问题在运行中途漂移；分别在重新画像和不重新画像下服务，运行分为八段。质量不计入重新画像已用过的问题。</translation>
    </message>
    <message>
        <source>Mean requests per second, to which the workload&apos;s recorded arrival times are scaled; without such times, Poisson arrivals</source>
        <translation>平均每秒请求数，工作负载记录的到达时间按其缩放；没有记录时为泊松到达</translation>
    </message>
    <message>
        <source>TTFT against quality at the scale of the paper, simulated</source>
        <translation>论文规模下的 TTFT 与质量，模拟</translation>
    </message>
    <message>
        <source>Simulates every policy on 555 contexts of 13,175 tokens on average, 80 GB of DRAM, 800 GB of SSD and unlimited remote storage, with the authors&apos; seconds per token of Qwen3-30B-A3B and its 98,304 bytes of KV per token. Each context takes the measured quality curves of a context of the workload. Its length is a log-normal draw with the mean of its data set in table 1 and the variation in table 2. Beside it, the same simulation of the workload&apos;s own contexts. No claim gets a verdict from these.</source>
        <translation>在 555 个平均 13,175 token 的上下文、80 GB DRAM、800 GB SSD 和无限远程存储上模拟每种策略，采用作者给出的 Qwen3-30B-A3B 每 token 秒数及其每 token 98,304 字节的 KV。每个上下文采用工作负载中某个上下文的实测质量曲线。其长度为对数正态抽样，均值取表 1 中其数据集的值，离散度取表 2。旁边是对工作负载自身上下文的同样模拟。任何论断都不由此判定。</translation>
    </message>
    <message>
        <source>At equal quality, evicpress is faster than every fixed configuration + LRU; near full quality, it is faster than prefill and LRU, by as much at both scales.</source>
        <translation>质量相同时，evicpress 快于每种固定配置 + LRU；接近完整质量时，它快于预填充和 LRU，两种规模下幅度相同。</translation>
    </message>
    <message>
        <source>measured, with five models: against fixed compression with LRU 1.43 - 3.77 times lower TTFT at equal quality and 13.58 - 55.40 % more quality at equal TTFT; within 3 % of full quality 1.29 - 2.19 times faster than prefill and 1.22 - 1.56 times than LRU alone</source>
        <translation>五个模型的实测：相比固定压缩加 LRU，质量相同时 TTFT 低 1.43 - 3.77 倍，TTFT 相同时质量高 13.58 - 55.40 %；在完整质量的 3 % 以内，比预填充快 1.29 - 2.19 倍，比单独的 LRU 快 1.22 - 1.56 倍</translation>
    </message>
    <message>
        <source>median seconds to load a context from remote storage, times 0.1, 0.3, 1, 3, 10</source>
        <translation>从远程存储加载一个上下文的秒数中位数，乘以 0.1、0.3、1、3、10</translation>
    </message>
    <message>
        <source>prefill, lru, every fixed configuration + LRU, evicpress by the paper&apos;s two rules, that of its authors&apos; code, and ours</source>
        <translation>预填充、lru、每种固定配置 + LRU、按论文两条规则的 evicpress、其作者代码的规则和我们的规则</translation>
    </message>
    <message>
        <source>10 per context; the paper has 50</source>
        <translation>每个上下文 10 个；论文为 50 个</translation>
    </message>
    <message>
        <source>Simulated requests per run, after one warm-up request per context</source>
        <translation>每次运行模拟的请求数，每个上下文一次预热请求之后</translation>
    </message>
    <message>
        <source>end-to-end latency with re-profiling is at most %1 times that without (part %2) and %3 times in the last part</source>
        <translation>重新画像时的端到端延迟最多为不重新画像时的 %1 倍（第 %2 段），最后一段为 %3 倍</translation>
    </message>
    <message>
        <source>%1, end-to-end latency with re-profiling is at most %2 times that without (part %3) and %4 times in the last part</source>
        <translation>%1，重新画像时的端到端延迟最多为不重新画像时的 %2 倍（第 %3 段），最后一段为 %4 倍</translation>
    </message>
    <message>
        <source>%1: latency never rises</source>
        <translation>%1：延迟从不上升</translation>
    </message>
    <message>
        <source>%1: latency rises temporarily</source>
        <translation>%1：延迟暂时上升</translation>
    </message>
    <message>
        <source>%1: latency is still elevated at the end</source>
        <translation>%1：延迟到最后仍偏高</translation>
    </message>
    <message>
        <source>quality leaves out %1 of %2 requests under each condition: re-profiling had used their questions</source>
        <translation>每种条件下，质量未计入 %2 个请求中的 %1 个：重新画像已用过它们的问题</translation>
    </message>
    <message>
        <source>%1, quality leaves out %2 of %3 requests under each condition: re-profiling had used their questions</source>
        <translation>%1，每种条件下，质量未计入 %3 个请求中的 %2 个：重新画像已用过它们的问题</translation>
    </message>
    <message>
        <source>Quality in request order, 95 % intervals over contexts</source>
        <translation>按请求顺序的质量，上下文上的 95 % 区间</translation>
    </message>
    <message>
        <source>Latency in request order, 95 % intervals over contexts</source>
        <translation>按请求顺序的延迟，上下文上的 95 % 区间</translation>
    </message>
    <message>
        <source>paper&apos;s scale</source>
        <translation>论文规模</translation>
    </message>
    <message>
        <source>session&apos;s contexts</source>
        <translation>会话的上下文</translation>
    </message>
    <message>
        <source>TTFT, quality and hits, simulated; 95 % intervals over the measured contexts</source>
        <translation>TTFT、质量和命中，模拟；实测上下文上的 95 % 区间</translation>
    </message>
    <message>
        <source>Regime %1, and what was simulated</source>
        <translation>范式 %1，以及模拟的取值</translation>
    </message>
    <message>
        <source>%1 holds %2 % of all KV, uncompressed</source>
        <translation>%1 可容纳全部未压缩 KV 的 %2 %</translation>
    </message>
    <message>
        <source>cells measured again</source>
        <translation>重测的单元数</translation>
    </message>
    <message>
        <source>farthest off %</source>
        <translation>最大相差 %</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>speed at equal quality, max</source>
        <translation>同等质量下的速度，最大</translation>
    </message>
    <message>
        <source>quality % at equal TTFT, max</source>
        <translation>同等 TTFT 下质量 %，最大</translation>
    </message>
    <message>
        <source>quantity</source>
        <translation>量</translation>
    </message>
    <message>
        <source>from</source>
        <translation>由</translation>
    </message>
    <message>
        <source>printed</source>
        <translation>所印</translation>
    </message>
    <message>
        <source>computed</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>compression ratio</source>
        <translation>压缩率</translation>
    </message>
    <message>
        <source>ratio %1</source>
        <translation>压缩率 %1</translation>
    </message>
    <message>
        <source>utility s</source>
        <translation>效用 s</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV 头数</translation>
    </message>
    <message>
        <source>head size</source>
        <translation>头大小</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>token F1</source>
        <translation>token F1</translation>
    </message>
    <message>
        <source>model name</source>
        <translation>模型名称</translation>
    </message>
    <message>
        <source>models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>bandwidth MB/s</source>
        <translation>带宽 MB/s</translation>
    </message>
    <message>
        <source>half of %1</source>
        <translation>%1 的一半</translation>
    </message>
    <message>
        <source>%1 times the break-even one</source>
        <translation>平衡点值的 %1 倍</translation>
    </message>
    <message>
        <source>prefill alone</source>
        <translation>仅预填充</translation>
    </message>
    <message>
        <source>requests that %1 served, %</source>
        <translation>由 %1 提供的请求，%</translation>
    </message>
    <message>
        <source>time of a layer, ms</source>
        <translation>每层时间，ms</translation>
    </message>
    <message>
        <source>throughput, x full cache</source>
        <translation>吞吐量，相对完整缓存</translation>
    </message>
    <message>
        <source>throughput, x loading alone</source>
        <translation>吞吐量，相对仅加载</translation>
    </message>
    <message>
        <source>score, 0 - 1</source>
        <translation>得分，0 - 1</translation>
    </message>
    <message>
        <source>smallest ratio</source>
        <translation>最小比值</translation>
    </message>
    <message>
        <source>largest ratio</source>
        <translation>最大比值</translation>
    </message>
    <message>
        <source>requests served %</source>
        <translation>提供的请求 %</translation>
    </message>
    <message>
        <source>quality by chance</source>
        <translation>随机水平的质量</translation>
    </message>
    <message>
        <source>quality (%1)</source>
        <translation>质量（%1）</translation>
    </message>
    <message>
        <source>time, s</source>
        <translation>时间，s</translation>
    </message>
    <message>
        <source>95th percentile of TTFT, s</source>
        <translation>TTFT 第 95 百分位，s</translation>
    </message>
    <message>
        <source>mean inter-token latency, s</source>
        <translation>平均 token 间延迟，s</translation>
    </message>
    <message>
        <source>total TTFT, s</source>
        <translation>总 TTFT，s</translation>
    </message>
    <message>
        <source>evicpress is ahead</source>
        <translation>evicpress 领先</translation>
    </message>
    <message>
        <source>% of the families</source>
        <translation>% 的族</translation>
    </message>
    <message>
        <source>families</source>
        <translation>族</translation>
    </message>
    <message>
        <source>at every alpha</source>
        <translation>在每个 alpha 上</translation>
    </message>
    <message>
        <source>at no alpha</source>
        <translation>在任何 alpha 上都不</translation>
    </message>
    <message>
        <source>paper: 11 of 12 tasks</source>
        <translation>论文：12 个任务中的 11 个</translation>
    </message>
    <message>
        <source>paper: 1 of 12 tasks</source>
        <translation>论文：12 个任务中的 1 个</translation>
    </message>
    <message>
        <source>paper: %1 times the best baseline</source>
        <translation>论文：最佳基线的 %1 倍</translation>
    </message>
    <message>
        <source>paper: 11 % above profiled once</source>
        <translation>论文：比只画像一次高 11 %</translation>
    </message>
    <message>
        <source>paper: within six data sets</source>
        <translation>论文：六个数据集之内</translation>
    </message>
    <message>
        <source>paper: adaptcache, first weight</source>
        <translation>论文：adaptcache，第一个权重</translation>
    </message>
    <message>
        <source>paper: adaptcache, second weight</source>
        <translation>论文：adaptcache，第二个权重</translation>
    </message>
    <message>
        <source>paper: adaptcache, third weight</source>
        <translation>论文：adaptcache，第三个权重</translation>
    </message>
    <message>
        <source>paper: adaptcache, fourth weight</source>
        <translation>论文：adaptcache，第四个权重</translation>
    </message>
    <message>
        <source>paper: KIVI at 2 bits</source>
        <translation>论文：2 位的 KIVI</translation>
    </message>
    <message>
        <source>%1 generated</source>
        <translation>生成 %1</translation>
    </message>
    <message>
        <source>%1, %2 generated</source>
        <translation>%1，生成 %2</translation>
    </message>
    <message>
        <source>%1, up to</source>
        <translation>%1，最高</translation>
    </message>
    <message>
        <source>GovReport, full cache</source>
        <translation>GovReport，完整缓存</translation>
    </message>
    <message>
        <source>MultiNews, inverse key L2</source>
        <translation>MultiNews，逆键 L2</translation>
    </message>
    <message>
        <source>inverse key L2, KeyDiff</source>
        <translation>逆键 L2、KeyDiff</translation>
    </message>
    <message>
        <source>inverse key L2, KeyDiff, 1B</source>
        <translation>逆键 L2、KeyDiff，1B</translation>
    </message>
    <message>
        <source>%1, %2 MB/s</source>
        <translation>%1，%2 MB/s</translation>
    </message>
    <message>
        <source>Parquet: there is no module %1 next to the program; &apos;./run --parquet&apos; builds it, or name it in %2</source>
        <translation>Parquet：程序旁没有模块 %1；“./run --parquet”会构建它，或在 %2 中指定</translation>
    </message>
    <message>
        <source>Parquet: there is no file %1; name the module in %2, or unset it</source>
        <translation>Parquet：没有文件 %1；请在 %2 中指定该模块，或取消设置</translation>
    </message>
    <message>
        <source>%1: cannot be loaded: %2; &apos;./run --parquet&apos; rebuilds the module</source>
        <translation>%1：无法加载：%2；“./run --parquet”会重新构建该模块</translation>
    </message>
    <message>
        <source>%1: is not a module of this program; &apos;./run --parquet&apos; builds one</source>
        <translation>%1：不是本程序的模块；“./run --parquet”会构建一个</translation>
    </message>
    <message>
        <source>%1: the module was built for interface %2 and the program has %3; &apos;./run --parquet&apos; rebuilds the module</source>
        <translation>%1：该模块按接口 %2 构建，而程序的接口是 %3；“./run --parquet”会重新构建该模块</translation>
    </message>
    <message>
        <source>%1: cannot be written as Parquet: %2; write it as CSV instead</source>
        <translation>%1：无法写成 Parquet：%2；请改用 CSV</translation>
    </message>
    <message>
        <source>Its six LongBench data sets are missing, among them the coding task: contexts are made on the machine. The metric code_bleu scores code as the paper does.</source>
        <translation>缺少其六个 LongBench 数据集，包括编码任务：上下文在本机生成。指标 code_bleu 按论文的方式为代码评分。</translation>
    </message>
    <message>
        <source>Figures 1, 2, 4, 5 and 11 are drawings of hardware, design and schedules, without results. Figure 14 compares with attention computed on the CPU, which is not reproduced here.</source>
        <translation>图 1、2、4、5 和 11 是硬件、设计和调度的示意图，没有结果。图 14 与在 CPU 上计算的注意力作比较，此处不复现。</translation>
    </message>
    <message>
        <source>Quality metric</source>
        <translation>质量指标</translation>
    </message>
    <message>
        <source>cosine, the paper&apos;s; token_f1 where its embedder is missing</source>
        <translation>cosine，论文所用；缺少其嵌入模型时为 token_f1</translation>
    </message>
    <message>
        <source>Quality metric of curves and answers; cosine: similarity in meaning to the answer with uncompressed KV, by all-MiniLM-L6-v2</source>
        <translation>曲线和回答的质量指标；cosine：与未压缩 KV 的回答在含义上的相似度，由 all-MiniLM-L6-v2 计算</translation>
    </message>
    <message>
        <source>the arithmetic of section 4.2, and sizes of KV caches</source>
        <translation>4.2 节的算术，以及 KV 缓存的大小</translation>
    </message>
    <message>
        <source>Computes each number of the section&apos;s examples from the others that it prints, with KVantage&apos;s own utility and load time, and the sizes of KV caches from the models&apos; shapes.</source>
        <translation>用 KVantage 自己的效用和加载时间，由该节所印的其他数值计算其示例中的每个数值，并由模型的形状计算 KV 缓存的大小。</translation>
    </message>
    <message>
        <source>Each printed number follows from the others, within rounding.</source>
        <translation>每个所印数值都可在舍入范围内由其他数值得出。</translation>
    </message>
    <message>
        <source>utilities 0.607 and 0.621 at alpha 1; above alpha 0.3, a ratio of 0.2 is preferred to 0.4</source>
        <translation>alpha 为 1 时效用为 0.607 和 0.621；alpha 高于 0.3 时，压缩率 0.2 优于 0.4</translation>
    </message>
    <message>
        <source>Bandwidths (MB/s)</source>
        <translation>带宽（MB/s）</translation>
    </message>
    <message>
        <source>Bandwidths that the tier is throttled to, comma-separated: MB/s, or multiples of the break-even one such as 0.25x,1x,4x</source>
        <translation>层级被限速到的带宽，以逗号分隔：MB/s，或平衡点值的倍数，例如 0.25x,1x,4x</translation>
    </message>
    <message>
        <source>the metric with the answer with uncompressed KV as the only reference answer</source>
        <translation>以未压缩 KV 的回答为唯一参考回答的该指标</translation>
    </message>
    <message>
        <source>Likeness to the answer with uncompressed KV, whatever the workload&apos;s reference answer: AdaptCache&apos;s quality.</source>
        <translation>与未压缩 KV 的回答的相似程度，不论工作负载的参考回答如何：AdaptCache 的质量。</translation>
    </message>
    <message>
        <source>Claims of the paper by model</source>
        <translation>各模型上的论文论断</translation>
    </message>
    <message>
        <source>no claim of the paper is compared between the models</source>
        <translation>各模型之间没有可比较的论文论断</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>withheld: not the paper&apos;s quality metric</source>
        <translation>不作判定：不是论文的质量指标</translation>
    </message>
    <message>
        <source>token_f1, as the embedder of cosine is missing</source>
        <translation>token_f1，因为缺少 cosine 的嵌入模型</translation>
    </message>
    <message>
        <source>%1, codecs (EvicPress section 8, extension)</source>
        <translation>%1，编解码器（EvicPress 第 8 节，扩展）</translation>
    </message>
    <message>
        <source>%1, codecs (EvicPress section 8, extension), compute or load (ours)</source>
        <translation>%1，编解码器（EvicPress 第 8 节，扩展），计算或加载（我们的）</translation>
    </message>
    <message>
        <source>end-to-end latency with re-profiling is %1 times that without over parts %2 to %3, where questions drift: this one is compared with the paper, as the highest part was chosen after looking</source>
        <translation>在问题漂移的第 %2 到 %3 段，重新画像时的端到端延迟为不重新画像时的 %1 倍：以此与论文比较，因为最高的一段是看过之后才选出的</translation>
    </message>
    <message>
        <source>%1, end-to-end latency with re-profiling is %2 times that without over parts %3 to %4, where questions drift: this one is compared with the paper, as the highest part was chosen after looking</source>
        <translation>%1，在问题漂移的第 %3 到 %4 段，重新画像时的端到端延迟为不重新画像时的 %2 倍：以此与论文比较，因为最高的一段是看过之后才选出的</translation>
    </message>
    <message>
        <source>at %1 % of the bytes</source>
        <translation>在 %1 % 字节下</translation>
    </message>
    <message>
        <source>by the printed formula</source>
        <translation>按论文所印的公式</translation>
    </message>
    <message>
        <source>claims are about utility=described: the paper&apos;s text makes utility the product of frequency and alpha * quality - delay; its formula, utility=printed, leaves the delay outside of the product</source>
        <translation>论断针对 utility=described：论文正文把效用定义为频率与 alpha * 质量 - 延迟 的乘积；其公式 utility=printed 则把延迟放在乘积之外</translation>
    </message>
    <message>
        <source>Section 4.2: each printed number, computed from the section&apos;s other numbers</source>
        <translation>4.2 节：每个所印数值，由该节的其他数值计算</translation>
    </message>
    <message>
        <source>TTFT on 2wikimQA: the line through the printed 0.24 and 0.20 s</source>
        <translation>2wikimQA 的 TTFT：通过所印 0.24 s 和 0.20 s 的直线</translation>
    </message>
    <message>
        <source>Utility on 2wikimQA over alpha, with the printed qualities and times</source>
        <translation>2wikimQA 的效用随 alpha 的变化，按所印的质量和时间</translation>
    </message>
    <message>
        <source>Sizes of KV caches in 16 bits, sections 2.2 and 6.2</source>
        <translation>16 位 KV 缓存的大小，2.2 节和 6.2 节</translation>
    </message>
    <message>
        <source>%1: printed %2, computed %3 (%4), %5 - %6 with the rounding of its inputs</source>
        <translation>%1：印为 %2，计算得 %3（%4），考虑输入的舍入为 %5 - %6</translation>
    </message>
    <message>
        <source>the section&apos;s ratios are removed fractions, as a higher one loads faster; section 3.1 defines the ratio as compressed over original size</source>
        <translation>该节的压缩率是移除比例，因为更高者加载更快；3.1 节将压缩率定义为压缩后大小与原大小之比</translation>
    </message>
    <message>
        <source>(keydiff, 0.6) and (keydiff, 0.9) are of different data sets, so that no policy chooses between them</source>
        <translation>(keydiff, 0.6) 与 (keydiff, 0.9) 属于不同的数据集，因此没有策略在二者之间选择</translation>
    </message>
    <message>
        <source>alpha above which 0.2 is preferred to 0.4</source>
        <translation>高于此 alpha 时 0.2 优于 0.4</translation>
    </message>
    <message>
        <source>utility, %1 at %2</source>
        <translation>效用，%1，%2 处</translation>
    </message>
    <message>
        <source>quality, %1 at %2</source>
        <translation>质量，%1，%2 处</translation>
    </message>
    <message>
        <source>TTFT, %1 at %2</source>
        <translation>TTFT，%1，%2 处</translation>
    </message>
    <message>
        <source>the line through 0.24 and 0.20 s</source>
        <translation>通过 0.24 s 和 0.20 s 的直线</translation>
    </message>
    <message>
        <source>within rounding</source>
        <translation>在舍入范围内</translation>
    </message>
    <message>
        <source>slip</source>
        <translation>笔误</translation>
    </message>
    <message>
        <source>one shape is measured here: the same number is compared with the paper&apos;s for OPT-6.7B, 13B and 30B</source>
        <translation>此处只测量一种模型形状：同一数值与论文中 OPT-6.7B、13B 和 30B 的数值比较</translation>
    </message>
    <message>
        <source>one shape is measured here: the same number is compared with the paper&apos;s for OPT-6.7B (table 3) and OPT-13B (table 4)</source>
        <translation>此处只测量一种模型形状：同一数值与论文中 OPT-6.7B（表 3）和 OPT-13B（表 4）的数值比较</translation>
    </message>
    <message>
        <source>one busy share is measured here: the same number is compared with the paper&apos;s GPU utilization (figure 8) and GPU computation (figure 10)</source>
        <translation>此处只测量一个繁忙比例：同一数值与论文中的 GPU 利用率（图 8）和 GPU 计算（图 10）比较</translation>
    </message>
    <message>
        <source>claims of the paper are measured at %1 MB/s (%2)</source>
        <translation>论文的论断在 %1 MB/s 下测量（%2）</translation>
    </message>
    <message>
        <source>at %1 MB/s</source>
        <translation>在 %1 MB/s 下</translation>
    </message>
    <message>
        <source>Requests served from %1 against quality, 95 % intervals over contexts</source>
        <translation>由 %1 提供的请求与质量，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Inter-token latency by rate, 95 % intervals over contexts</source>
        <translation>按速率的 token 间延迟，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Variation of the best fraction within a family, 95 % intervals over contexts</source>
        <translation>族内最佳比例的变异，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Lengths of the contexts by the method with the smallest quality drop; a tie counts for each</source>
        <translation>按质量下降最小的方法划分的上下文长度；并列者在各组中均计入</translation>
    </message>
    <message>
        <source>Hits of the fast tier against its budget, 95 % intervals over contexts</source>
        <translation>快速层级的命中率与其预算，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>每个输出 token 的时间</translation>
    </message>
    <message>
        <source>Throughput over the full cache&apos;s</source>
        <translation>相对完整缓存的吞吐量</translation>
    </message>
    <message>
        <source>Throughput gain of the split</source>
        <translation>拆分的吞吐量提升</translation>
    </message>
    <message>
        <source>Throughput gain over lengths</source>
        <translation>各长度的吞吐量提升</translation>
    </message>
    <message>
        <source>Time saved by the split</source>
        <translation>拆分节省的时间</translation>
    </message>
    <message>
        <source>(ngram_match + weighted_ngram_match + syntax_match + dataflow_match) / 4</source>
        <translation>(ngram_match + weighted_ngram_match + syntax_match + dataflow_match) / 4</translation>
    </message>
    <message>
        <source>Similarity of Python code to the answer with uncompressed KV, as in the package codebleu; equal texts score 1.</source>
        <translation>Python 代码与未压缩 KV 的答案的相似程度，同软件包 codebleu；相同的文本得 1。</translation>
    </message>
    <message>
        <source>models: the verdicts differ on %1 of %2 claims with a verdict on two or more models</source>
        <translation>模型：在至少两个模型上有结论的 %2 条论断中，有 %1 条的结论不同</translation>
    </message>
    <message>
        <source>models: the verdicts differ on %1 of %2 claims with a verdict on two or more models: %3</source>
        <translation>模型：在至少两个模型上有结论的 %2 条论断中，有 %1 条的结论不同：%3</translation>
    </message>
    <message>
        <source>quality is not measured by the paper&apos;s metric</source>
        <translation>质量不是按论文的指标测量的</translation>
    </message>
    <message>
        <source>quality is token_f1: cosine, the paper&apos;s metric, needs all-MiniLM-L6-v2, which is missing and which ./run fetches</source>
        <translation>质量为 token_f1：论文的指标 cosine 需要 all-MiniLM-L6-v2，而它缺失，./run 会获取它</translation>
    </message>
    <message>
        <source>quality is %1, as asked for, where claims of the paper are measured by %2</source>
        <translation>按要求质量为 %1，而论文的论断按 %2 测量</translation>
    </message>
    <message>
        <source>questions do not drift in this run: no claim of the paper is compared</source>
        <translation>本次运行中问题不漂移：不比较论文的任何论断</translation>
    </message>
    <message>
        <source>by the rule %1</source>
        <translation>按规则 %1</translation>
    </message>
    <message>
        <source>the paper&apos;s rule was not run, which is adaptcache(pool=paper): no claim of the paper is compared</source>
        <translation>未运行论文的规则，即 adaptcache(pool=paper)：不比较论文的任何论断</translation>
    </message>
    <message>
        <source>claims are measured at %1 % of the bytes</source>
        <translation>论断在 %1 % 字节下测量</translation>
    </message>
    <message>
        <source>%1 hits %2 on %3 % of requests%4; the best fixed configuration of its quality, %5, on %6</source>
        <translation>%1 在 %3 % 的请求上命中 %2%4；与其质量相同的最好的固定配置 %5 为 %6</translation>
    </message>
    <message>
        <source>%1 hits %2 on %3 % of requests; the best fixed configuration of its quality, %4, on %5</source>
        <translation>%1 在 %3 % 的请求上命中 %2；与其质量相同的最好的固定配置 %4 为 %5</translation>
    </message>
    <message>
        <source>%1 hits %2 on %3 % of requests%4; no fixed configuration has its quality</source>
        <translation>%1 在 %3 % 的请求上命中 %2%4；没有固定配置达到其质量</translation>
    </message>
    <message>
        <source>%1 hits %2 on %3 % of requests; no fixed configuration has its quality</source>
        <translation>%1 在 %3 % 的请求上命中 %2；没有固定配置达到其质量</translation>
    </message>
    <message>
        <source>of %1 results, %2 follow from the printed numbers, %3 within rounding; slips: %4; other rows are the same equations, solved for another number</source>
        <translation>%1 个结果中，%2 个可由所印数值得出，%3 个在舍入范围内；笔误：%4；其他行是同样的等式，对另一个数值求解</translation>
    </message>
    <message>
        <source>the paper&apos;s GB are GiB, of 1,000 tokens a K: its sizes are compared in GiB</source>
        <translation>论文的 GB 实为 GiB，且 K 为 1,000 个 token：其大小以 GiB 比较</translation>
    </message>
    <message>
        <source>the section names a device, the CPU, for the times at 0.6 and 0.9 alone: the time at 0.6 is compared with no line through those at 0.2 and 0.4</source>
        <translation>该节只为 0.6 和 0.9 处的时间指明了设备（CPU）：0.6 处的时间不与通过 0.2 和 0.4 处时间的直线比较</translation>
    </message>
    <message>
        <source>not comparable</source>
        <translation>不可比</translation>
    </message>
    <message>
        <source>not judged: the machine was disturbed</source>
        <translation>不作判断：机器受到了干扰</translation>
    </message>
    <message>
        <source>a fixed load before and after these runs moved by %1 %, more than %2 %: other work used the machine, or it was another one; such times are not judged</source>
        <translation>这些运行前后的固定负载变化了 %1 %，超过 %2 %：有其他工作占用了机器，或者是另一台机器；这样的时间不作判断</translation>
    </message>
    <message>
        <source>link / recompute</source>
        <translation>链路 / 重算</translation>
    </message>
    <message>
        <source>mean TTFT bound s</source>
        <translation>平均 TTFT 界限 s</translation>
    </message>
    <message>
        <source>mean prefill s</source>
        <translation>平均预填充 s</translation>
    </message>
    <message>
        <source>TTFT bound / mean prefill</source>
        <translation>TTFT 界限 / 平均预填充</translation>
    </message>
    <message>
        <source>inter-token latency bound / unloaded</source>
        <translation>token 间延迟界限 / 无负载值</translation>
    </message>
    <message>
        <source>90th percentile off %</source>
        <translation>第 90 百分位相差 %</translation>
    </message>
    <message>
        <source>kind of text</source>
        <translation>文本种类</translation>
    </message>
    <message>
        <source>link time / recompute time</source>
        <translation>链路时间 / 重算时间</translation>
    </message>
    <message>
        <source>tokens at the end</source>
        <translation>结束时的 token 数</translation>
    </message>
    <message>
        <source>computed at the end</source>
        <translation>结束时的计算值</translation>
    </message>
    <message>
        <source>tokens of the printed size</source>
        <translation>所印大小对应的 token 数</translation>
    </message>
    <message>
        <source>table</source>
        <translation>表</translation>
    </message>
    <message>
        <source>bytes per number</source>
        <translation>每个数的字节数</translation>
    </message>
    <message>
        <source>break-even</source>
        <translation>平衡点</translation>
    </message>
    <message>
        <source>given</source>
        <translation>给定</translation>
    </message>
    <message>
        <source>mean TTFT, s</source>
        <translation>平均 TTFT，s</translation>
    </message>
    <message>
        <source>queue s</source>
        <translation>排队 s</translation>
    </message>
    <message>
        <source>load from %1 s</source>
        <translation>从 %1 加载 s</translation>
    </message>
    <message>
        <source>unpacking s</source>
        <translation>解包 s</translation>
    </message>
    <message>
        <source>context prefill s</source>
        <translation>上下文预填充 s</translation>
    </message>
    <message>
        <source>question prefill s</source>
        <translation>问题预填充 s</translation>
    </message>
    <message>
        <source>other s</source>
        <translation>其他 s</translation>
    </message>
    <message>
        <source>trade-off</source>
        <translation>权衡</translation>
    </message>
    <message>
        <source>cannot tell</source>
        <translation>无法判断</translation>
    </message>
    <message>
        <source>improved</source>
        <translation>改善</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>变差</translation>
    </message>
    <message>
        <source>mean speedup</source>
        <translation>平均加速倍数</translation>
    </message>
    <message>
        <source>% of the families ahead</source>
        <translation>领先的族 %</translation>
    </message>
    <message>
        <source>at some alpha</source>
        <translation>在某个 alpha 上</translation>
    </message>
    <message>
        <source>load ms</source>
        <translation>加载 ms</translation>
    </message>
    <message>
        <source>hits</source>
        <translation>命中数</translation>
    </message>
    <message>
        <source>ask: %1 columns; choose 1 to %2</source>
        <translation>提问：%1 列；请选择 1 到 %2 列</translation>
    </message>
    <message>
        <source>ask: the question is empty; type one</source>
        <translation>提问：问题为空；请输入问题</translation>
    </message>
    <message>
        <source>ask: there is no text; choose a context of the workload or enter a text</source>
        <translation>提问：没有文本；请选择工作负载中的上下文或输入文本</translation>
    </message>
    <message>
        <source>ask: context &apos;%1&apos; is not in this workload; choose one of its contexts</source>
        <translation>提问：上下文“%1”不在此工作负载中；请选择其中的上下文</translation>
    </message>
    <message>
        <source>ask: this session has no tier &apos;%1&apos;; choose one of %2</source>
        <translation>提问：此会话没有层级“%1”；请从 %2 中选择</translation>
    </message>
    <message>
        <source>ask: removed fraction %1: not in [0, 1); give the share of tokens to remove</source>
        <translation>提问：移除比例 %1 不在 [0, 1) 内；请给出要移除的 token 比例</translation>
    </message>
    <message>
        <source>ask: text and question have %1 tokens, more than the %2 positions of the model; shorten them</source>
        <translation>提问：文本与问题共有 %1 个 token，超过模型的 %2 个位置；请缩短</translation>
    </message>
    <message>
        <source>ask: context &apos;text&apos;: %1 tokens leave no room for a question (the model has %2 positions); shorten it or use another model</source>
        <translation>提问：文本有 %1 个 token，没有给问题留出空间（模型有 %2 个位置）；请缩短文本或使用其他模型</translation>
    </message>
    <message>
        <source>ask: the text needs %1 of KV blocks besides those for serving, but there are %2; choose a shorter text</source>
        <translation>提问：除服务所需之外，该文本还需要 %1 的 KV 块，但只有 %2；请选择更短的文本</translation>
    </message>
    <message>
        <source>ask: the engine has ended; open the workload again</source>
        <translation>提问：引擎已结束；请重新打开工作负载</translation>
    </message>
    <message>
        <source>from a half to 9.7 within the mean prefill of a context, in steps of 1.39, of others than evicpress from 0.19 to 7; 4,8,16,24 outside of the regime</source>
        <translation>一个上下文的平均预填充时间内二分之一到 9.7 个请求，步长为 1.39 倍，evicpress 以外的策略为 0.19 到 7 个；范式之外为 4,8,16,24</translation>
    </message>
    <message>
        <source>0.08 in the regime, as 80 GB hold 8.3 % of the KV for Llama-3.1-8B and Mistral-7B, two of the figure&apos;s three models (5.6 % for Qwen2.5-14B); 0.2 outside of one</source>
        <translation>范式中为 0.08，因为 80 GB 能容纳 Llama-3.1-8B 和 Mistral-7B（该图三个模型中的两个）的 KV 的 8.3 %（Qwen2.5-14B 为 5.6 %）；范式之外为 0.2</translation>
    </message>
    <message>
        <source>prefill, lru, each configuration below + LRU, adaptcache(pool=paper) by both readings of its utility, evicpress</source>
        <translation>预填充、lru、以下每种配置加 LRU、按其效用的两种读法的 adaptcache(pool=paper)、evicpress</translation>
    </message>
    <message>
        <source>Every policy under Poisson arrivals at each rate. Compares the highest rate that each sustains at the minimum quality while the mean TTFT, or the mean inter-token latency, stays within its bound. Also breaks down the engine&apos;s time. Extensions (codecs, drop=best) are compared in evicpress/fig7 alone.</source>
        <translation>每个策略在各速率下的泊松到达。比较在达到最低质量、且平均 TTFT 或平均 token 间延迟保持在界限内时各自能维持的最高速率。另给出引擎时间的分解。扩展（编解码器、drop=best）只在 evicpress/fig7 中比较。</translation>
    </message>
    <message>
        <source>twice the mean prefill of a context: the paper prints no level; at this one full prefill queues for as long as it is served, and LRU, which takes at most 1.21 prefills by section 6.2, can queue as well</source>
        <translation>一个上下文平均预填充时间的两倍：论文没有给出水平；在此水平上，完整预填充的排队时间与服务时间一样长，而按第 6.2 节至多为 1.21 倍预填充的 LRU 也能排队</translation>
    </message>
    <message>
        <source>Bound on the mean TTFT including queueing, in seconds</source>
        <translation>含排队的平均 TTFT 的界限，单位秒</translation>
    </message>
    <message>
        <source>twice that of requests served one at a time, doubled until another policy than evicpress meets it at the minimum quality</source>
        <translation>逐个服务请求时的两倍，并逐次加倍，直到 evicpress 以外的某个策略在最低质量下达到它</translation>
    </message>
    <message>
        <source>Texts of each kind</source>
        <translation>每种文本的数量</translation>
    </message>
    <message>
        <source>Ledgers, news and stories each, with one question per text</source>
        <translation>账本、新闻和故事各自的数量，每个文本一个问题</translation>
    </message>
    <message>
        <source>Length of a text</source>
        <translation>文本长度</translation>
    </message>
    <message>
        <source>Seed of the texts</source>
        <translation>文本的种子</translation>
    </message>
    <message>
        <source>1.43 - 2.4 times lower TTFT at equal quality and 6 - 55 % higher quality at equal TTFT than fixed compression; TTFT 69 % lower than KIVI&apos;s at equal quality</source>
        <translation>与固定压缩相比，同等质量下 TTFT 低 1.43 - 2.4 倍，同等 TTFT 下质量高 6 - 55 %；同等质量下 TTFT 比 KIVI 低 69 %</translation>
    </message>
    <message>
        <source>The coding task: AdaptCache versus one method and rate for all contexts</source>
        <translation>代码任务：AdaptCache 与对所有上下文用同一方法和比例的对比</translation>
    </message>
    <message>
        <source>The study of adaptcache/fig2 on modules of Python, each asked for its next statement. Quality is CodeBLEU against the answer with uncompressed KV; the model is reference-mha.</source>
        <translation>在 Python 模块上做 adaptcache/fig2 的研究，每个模块都询问其下一条语句。质量是与未压缩 KV 的回答相比的 CodeBLEU；模型是 reference-mha。</translation>
    </message>
    <message>
        <source>A higher hit rate of the fast tier than 2-bit KIVI with LRU, and a lower one the more quality is worth.</source>
        <translation>快速层级的命中率高于 2 位 KIVI 加 LRU；质量的价值越高，命中率越低。</translation>
    </message>
    <message>
        <source>DRAM hit rate 81, 56, 44 and 11 % for four weights between delay and quality, versus 38 % of 2-bit KIVI with LRU</source>
        <translation>在延迟与质量之间的四种权重下，DRAM 命中率为 81、56、44 和 11 %，而 2 位 KIVI 加 LRU 为 38 %</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Hugging Face model folder, or reference-mha</source>
        <translation>Hugging Face 模型文件夹，或 reference-mha</translation>
    </message>
    <message>
        <source>Decodes answers about ledgers, which are long, and about news and stories, which are short, while each eviction method keeps every head within its budget. Scores them by ROUGE-L and token F1 against the reference answer. Budgets are shares of the prompt. The five data sets of the paper have prompts of 7,500 tokens on average: its budgets of 256, 512, 1,024, 2,048 and 4,096 tokens are 3.4, 6.8, 14, 27 and 55 % of them. GovReport&apos;s prompts have 11,600 tokens, of which 1,024 and 4,096 are 9 and 35 %; MultiNews&apos; have 2,800, of which 1,024 are 36 %, and 4,096 hold all. Each number of the paper is compared at the nearest budget here.</source>
        <translation>解码账本的长回答以及新闻和故事的短回答，每种驱逐方法使每个头保持在预算内，并以 ROUGE-L 和 token F1 与参考回答比较评分。预算是提示的比例。论文五个数据集的提示平均为 7,500 个 token：其 256、512、1,024、2,048 和 4,096 个 token 的预算分别为 3.4、6.8、14、27 和 55 %。GovReport 的提示为 11,600 个 token，1,024 和 4,096 个 token 分别为其 9 和 35 %；MultiNews 的提示为 2,800 个 token，1,024 个 token 为其 36 %，4,096 个 token 可容纳全部。论文的每个数值与此处最接近的预算比较。</translation>
    </message>
    <message>
        <source>The same number of decoding steps for every eviction method and budget, timed in blocks. As many requests as the batch decode side by side, with prompts of random tokens; the paper serves 64, which is too many for two cores. The paper&apos;s full cache has 5,120 tokens on average while it decodes; its budgets of 256 to 4,096 tokens are 5 to 80 % of them, and 6.25 to 100 % of the prompt here.</source>
        <translation>每种驱逐方法和预算执行相同数量的解码步骤，按区组计时。与批大小同样多的请求并行解码，提示为随机 token；论文并行 64 个请求，两个核心无法承担。论文的完整缓存在解码时平均有 5,120 个 token；其 256 到 4,096 个 token 的预算为其 5 到 80 %，即此处提示的 6.25 到 100 %。</translation>
    </message>
    <message>
        <source>Scores and times at half the prompt as budget, with pages of 8 to 128 tokens. Times are in blocks, of as many requests as the batch side by side, with prompts of random tokens.</source>
        <translation>预算为提示的一半时的得分和时间，页为 8 到 128 个 token。时间按区组测量，与批大小同样多的请求并行，提示为随机 token。</translation>
    </message>
    <message>
        <source>Bandwidths that the tier is throttled to, comma-separated: MB/s, or multiples of the break-even one such as 0.25x,1x,4x; break-even alone by default, as this figure takes long at each</source>
        <translation>层级被限速到的带宽，以逗号分隔：MB/s，或平衡点值的倍数，例如 0.25x,1x,4x；默认只取平衡点，因为此图在每个带宽下都耗时很久</translation>
    </message>
    <message>
        <source> A random-weight OPT of 4 layers with heads 64 wide, on a tier in memory throttled to bandwidths below, at and above the one where loading a token takes as long as recomputing it.</source>
        <translation>随机权重的 OPT，4 层，头宽 64；层级在内存中，限速到低于、等于和高于“加载一个 token 与重算它耗时相同”的带宽。</translation>
    </message>
    <message>
        <source>loading a layer&apos;s KV cache versus recomputing it</source>
        <translation>加载一层的 KV 缓存与重算它的对比</translation>
    </message>
    <message>
        <source>Widths 256, 512 and 1,024: time to transfer a layer&apos;s keys and values, time to recompute them, and the rest of a layer of a decode step, its MLP included. The bandwidth is that of the widest. The claim needs one in MB/s: a multiple of break-even sets the ratio.%1</source>
        <translation>宽度 256、512 和 1,024：传送一层键值的时间、重算它们的时间，以及解码步中一层的其余时间（含 MLP）。带宽取最宽者的。该论断需要以 MB/s 给出的带宽：平衡点的倍数会决定该比值。%1</translation>
    </message>
    <message>
        <source>Transfer takes longer than recomputing, and both grow with the width: the processor stalls.</source>
        <translation>传送比重算耗时更长，且两者都随宽度增长：处理器停顿。</translation>
    </message>
    <message>
        <source>A100, PCIe 4.0: hidden 4,096 (512 MB) 15.6 ms to transfer and 0.3509 ms to compute keys and values; 5,120 (640 MB) 19.5 and 0.4388; 7,168 (896 MB) 27.3 and 0.6143: 44 times as long</source>
        <translation>A100，PCIe 4.0：隐藏宽度 4,096（512 MB）传送 15.6 ms，计算键值 0.3509 ms；5,120（640 MB）19.5 和 0.4388；7,168（896 MB）27.3 和 0.6143：为 44 倍</translation>
    </message>
    <message>
        <source>sizes of KV caches, by arithmetic</source>
        <translation>KV 缓存的大小，由计算得出</translation>
    </message>
    <message>
        <source>Computes each size of a KV cache that tables 1 to 4 print from the model&apos;s published shape, the batch and the lengths: a layer in tables 1 and 2, all layers in tables 3 and 4.</source>
        <translation>由模型公布的形状、批和长度计算表 1 至 4 所印的每个 KV 缓存大小：表 1 和 2 为一层，表 3 和 4 为所有层。</translation>
    </message>
    <message>
        <source>Each printed size follows from the shape, within rounding.</source>
        <translation>每个所印的大小都可由形状得出，在舍入范围内。</translation>
    </message>
    <message>
        <source>a layer 512, 640 and 896 MB (table 1) and 3 - 64 MB (table 2); all layers 5.0 - 20.0 GB (table 3) and 7.812 - 31.250 GB (table 4)</source>
        <translation>一层为 512、640 和 896 MB（表 1）以及 3 - 64 MB（表 2）；所有层为 5.0 - 20.0 GB（表 3）和 7.812 - 31.250 GB（表 4）</translation>
    </message>
    <message>
        <source>A batch decodes column by column: each layer for all sequences before the next layer, with every layer&apos;s matrices streamed once per step. Loading alone (FlexGen) versus the solved split, over prompts of a quarter, half and all of the length with half as many sequences, and over batches from one sequence to all with a quarter of the generated tokens.%1</source>
        <translation>整批按列解码：所有序列通过一层后再进入下一层，每层的矩阵每步流式传送一次。仅加载（FlexGen）与求解的拆分对比；提示为全长的四分之一、一半和全部且序列减半，以及批从一个序列到全部且生成的 token 为四分之一。%1</translation>
    </message>
    <message>
        <source>just computed: stored whole on %1</source>
        <translation>刚计算完：完整存放在 %1</translation>
    </message>
    <message>
        <source>just requested: stored whole on %1</source>
        <translation>刚被请求：完整存放在 %1</translation>
    </message>
    <message>
        <source>%1 stores every context whole on %2</source>
        <translation>%1 将每个上下文完整存放在 %2</translation>
    </message>
    <message>
        <source>90th percentile of %1</source>
        <translation>%1 的第 90 百分位</translation>
    </message>
    <message>
        <source>outside of %1, %2 tiers instead of %3, %4 of %5 ratios off</source>
        <translation>在 %1 之外：%2 个层级而不是 %3 个，%5 个比值中有 %4 个偏离</translation>
    </message>
    <message>
        <source>outside of %1, %2 of %3 ratios off</source>
        <translation>在 %1 之外：%3 个比值中有 %2 个偏离</translation>
    </message>
    <message>
        <source>cannot tell at this n: %1</source>
        <translation>以此样本量无法判断：%1</translation>
    </message>
    <message>
        <source>withheld: link / recompute is 1 at break-even by construction</source>
        <translation>不作判定：在平衡点，链路 / 重算按定义为 1</translation>
    </message>
    <message>
        <source>withheld: link / recompute is set by the multiple of break-even</source>
        <translation>不作判定：链路 / 重算由平衡点的倍数决定</translation>
    </message>
    <message>
        <source>withheld: our split ends at the prompt</source>
        <translation>不作判定：此处的拆分止于提示</translation>
    </message>
    <message>
        <source>withheld: our split recomputes no token</source>
        <translation>不作判定：此处的拆分不重算任何 token</translation>
    </message>
    <message>
        <source>withheld: impress read %1 % of the chunks</source>
        <translation>不予判定：impress 读取了 %1 % 的块</translation>
    </message>
    <message>
        <source>the mean speedup at equal quality is above 1 in %1 of %2 families and below 1 in %3, by intervals over contexts</source>
        <translation>按上下文的区间，%2 个族中有 %1 个在同等质量下的平均加速倍数高于 1，%3 个低于 1</translation>
    </message>
    <message>
        <source>at %1 % of the bytes %2 of %3 points of evicpress hit %4 more often than any fixed policy and impress of their quality</source>
        <translation>在 %1 % 字节下，evicpress 的 %3 个点中有 %2 个比同等质量的任何固定策略和 impress 更常命中 %4</translation>
    </message>
    <message>
        <source>impress read %1 % of the chunks of the contexts that it hit</source>
        <translation>impress 读取了所命中上下文的 %1 % 的块</translation>
    </message>
    <message>
        <source>impress read %1 % of the chunks of the contexts that it hit: nothing is said about reads by importance</source>
        <translation>impress 读取了所命中上下文的 %1 % 的块：不对按重要性读取作判断</translation>
    </message>
    <message>
        <source>evicpress by %1: %2 of %3 points are above the paper&apos;s upper ends, %4 and %5 times at equal quality, %6 and %7 % at equal TTFT, %8 and %9 times near full quality</source>
        <translation>evicpress（%1）：%2 / %3 个点高于论文的上端：同等质量下 %4 和 %5 倍，同等 TTFT 下 %6 和 %7 %，接近完整质量时 %8 和 %9 倍</translation>
    </message>
    <message>
        <source>evicpress by %1: its mean TTFT of %2 ms is limited by %3, %4 % of it</source>
        <translation>evicpress（%1）：其 %2 ms 的平均 TTFT 受限于%3，占其 %4 %</translation>
    </message>
    <message>
        <source>evicpress by %1</source>
        <translation>evicpress（%1）</translation>
    </message>
    <message>
        <source>queueing</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>unpacking</source>
        <translation>解包</translation>
    </message>
    <message>
        <source>lookup and the rest</source>
        <translation>查找及其余部分</translation>
    </message>
    <message>
        <source>loads from %1</source>
        <translation>从 %1 加载</translation>
    </message>
    <message>
        <source>mean TTFT within %1 s</source>
        <translation>平均 TTFT 在 %1 s 以内</translation>
    </message>
    <message>
        <source>mean TTFT within %1 s (%2 times the mean prefill of a context)</source>
        <translation>平均 TTFT 在 %1 s 以内（一个上下文平均预填充时间的 %2 倍）</translation>
    </message>
    <message>
        <source>no comparison at equal TTFT: no prefill was timed, and no bound is given</source>
        <translation>没有同等 TTFT 下的比较：没有为预填充计时，也没有给出界限</translation>
    </message>
    <message>
        <source>inter-token latency within %1 ms (%2 times the unloaded one)</source>
        <translation>token 间延迟在 %1 ms 以内（无负载时的 %2 倍）</translation>
    </message>
    <message>
        <source>no baseline of the minimum quality has an inter-token latency within %1 times the unloaded one at any tested rate: the bound is doubled until one has</source>
        <translation>达到最低质量的基线在任何测试速率下的 token 间延迟都不在无负载时的 %1 倍以内：界限逐次加倍，直到有一个达到</translation>
    </message>
    <message>
        <source>of %1 sizes, %2 follow from the models&apos; shapes; slips: %3</source>
        <translation>%1 个大小中，%2 个可由模型的形状得出；笔误：%3</translation>
    </message>
    <message>
        <source>the paper&apos;s MB and GB are MiB and GiB: its sizes are compared in these</source>
        <translation>论文的 MB 和 GB 实为 MiB 和 GiB：其大小以此比较</translation>
    </message>
    <message>
        <source>table %1, batch %2: printed %3, computed %4 - %5 %6; it is the size of %7 tokens a sequence</source>
        <translation>表 %1，批 %2：所印为 %3，计算得 %4 - %5 %6；它是每个序列 %7 个 token 的大小</translation>
    </message>
    <message>
        <source>Sizes of KV caches in 16 bits, tables 1 to 4</source>
        <translation>16 位 KV 缓存的大小，表 1 至 4</translation>
    </message>
    <message>
        <source>at %1 % of the prompt %2 is the fastest: %3 times the full cache&apos;s tokens per second, %4 requests side by side</source>
        <translation>预算为提示的 %1 % 时，%2 最快：%4 个请求并行时每秒 token 数为完整缓存的 %3 倍</translation>
    </message>
    <message>
        <source>with %1 added to the queries, a softmax without a maximum overflows for %2 of %3 queries; attention in tiles stays finite for %4 of them and differs from the full matrix by at most %5</source>
        <translation>查询加上 %1 后，不减最大值的 softmax 在 %3 个查询中的 %2 个上溢出；分块计算的注意力在其中 %4 个上保持有限，与完整矩阵的差异至多为 %5</translation>
    </message>
    <message>
        <source>at %1 MB/s (%2)</source>
        <translation>在 %1 MB/s 下（%2）</translation>
    </message>
    <message>
        <source>prompt %1, %2 generated, batch %3</source>
        <translation>提示 %1，生成 %2，批 %3</translation>
    </message>
    <message>
        <source>hidden %1, %2 tokens, batch %3</source>
        <translation>隐藏宽度 %1，%2 个 token，批 %3</translation>
    </message>
    <message>
        <source>transfer takes %1 - %2 times as long as recomputing</source>
        <translation>传送用时是重算的 %1 - %2 倍</translation>
    </message>
    <message>
        <source>Families by trade-off and by the alphas at which evicpress is ahead of every fixed policy, Wilson&apos;s 95 % intervals</source>
        <translation>按权衡以及 evicpress 在哪些 alpha 上领先于每个固定策略划分的族，Wilson 的 95 % 区间</translation>
    </message>
    <message>
        <source>Mean speedup over the fixed policies at equal quality, points of evicpress&apos;s frontiers under all budgets, 95 % intervals over contexts</source>
        <translation>同等质量下相对固定策略的平均加速倍数，所有预算下 evicpress 前沿的点，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>adaptcache against others, TTFT with queueing, 95 % intervals over contexts</source>
        <translation>adaptcache 与其他策略，含排队的 TTFT，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>claims and comparisons take TTFT with queueing, from arrival to the first token</source>
        <translation>论断和比较采用含排队的 TTFT，即从到达到第一个 token</translation>
    </message>
    <message>
        <source>Highest rate with the mean TTFT within the bound</source>
        <translation>平均 TTFT 在界限内的最高速率</translation>
    </message>
    <message>
        <source>95th percentile of TTFT by rate, queueing included, 95 % intervals over contexts</source>
        <translation>按速率的 TTFT 第 95 百分位，含排队，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Time to first token by part: means over all runs of a rule, and the best baseline of their quality</source>
        <translation>首 token 延迟按部分：一种规则全部运行的平均值，以及达到其质量的最佳基线</translation>
    </message>
    <message>
        <source>Scores by kind of text</source>
        <translation>按文本种类的得分</translation>
    </message>
    <message>
        <source>Transfer over recomputation</source>
        <translation>传输与重算之比</translation>
    </message>
    <message>
        <source>Mean load time of hits of the slow tier, 95 % intervals over contexts</source>
        <translation>慢速层命中的平均加载时间，按上下文的 95 % 区间</translation>
    </message>
    <message>
        <source>Computing the text</source>
        <translation>正在计算文本</translation>
    </message>
    <message>
        <source>Scoring the text with %1</source>
        <translation>正在用 %1 为文本评分</translation>
    </message>
    <message>
        <source>Compressing the text with %1</source>
        <translation>正在用 %1 压缩文本</translation>
    </message>
    <message>
        <source>Writing the form %1 to %2</source>
        <translation>正在将形式 %1 写入 %2</translation>
    </message>
    <message>
        <source>Reading the form %1 from %2</source>
        <translation>正在从 %2 读取形式 %1</translation>
    </message>
    <message>
        <source>Answering from %1: %2 tokens</source>
        <translation>正在根据 %1 回答：%2 个 token</translation>
    </message>
    <message>
        <source>full KV cache</source>
        <translation>完整 KV 缓存</translation>
    </message>
    <message>
        <source>Computing the attention of the answer</source>
        <translation>正在计算回答的注意力</translation>
    </message>
    <message>
        <source>%1 does not respond; this answer is from a cache in memory</source>
        <translation>%1 没有响应；此回答来自内存中的缓存</translation>
    </message>
    <message>
        <source>writing to %1 failed: %2; this answer is from a cache in memory</source>
        <translation>写入 %1 失败：%2；此回答来自内存中的缓存</translation>
    </message>
    <message>
        <source>reading from %1 failed: %2; this answer is from a cache in memory</source>
        <translation>从 %1 读取失败：%2；此回答来自内存中的缓存</translation>
    </message>
    <message>
        <source>the sweep has no cells; give at least one policy, alpha, budget, rate and seed</source>
        <translation>扫描没有单元；请至少给出一个策略、α、预算、速率和种子</translation>
    </message>
    <message>
        <source>the sweep has %1 cells, more than %2; give shorter lists</source>
        <translation>扫描有 %1 个单元，多于 %2 个；请缩短列表</translation>
    </message>
    <message>
        <source>%1: is another workload here (%2) than in the plan (%3); copy the same files here</source>
        <translation>%1：此处的工作负载（%2）与计划中的（%3）不同；请将相同的文件复制到此处</translation>
    </message>
    <message>
        <source>%1: is another model here (%2) than in the plan (%3); give the same model with --model</source>
        <translation>%1：此处的模型（%2）与计划中的（%3）不同；请用 --model 指定相同的模型</translation>
    </message>
    <message>
        <source>--budgets: the session has no tier &apos;%1&apos;; name one of its tiers, or leave the name out for all of them</source>
        <translation>--budgets：会话没有存储层 &apos;%1&apos;；请指定其存储层之一，或省略名称以表示全部</translation>
    </message>
    <message>
        <source>%1 has no room: its budget is %2 and this form takes %3; this answer is from a cache in memory</source>
        <translation>%1 没有空间：其预算为 %2，而此形式占用 %3；此答案来自内存中的缓存</translation>
    </message>
    <message>
        <source>%1: is a Git LFS pointer, not the file itself; run `git lfs pull` in its repository</source>
        <translation>%1：是 Git LFS 指针，而不是文件本身；请在其仓库中运行 `git lfs pull`</translation>
    </message>
    <message>
        <source>%1: holds the weights alone; give its folder, with config.json and tokenizer.json</source>
        <translation>%1：只含权重；请给出其文件夹，其中要有 config.json 和 tokenizer.json</translation>
    </message>
    <message>
        <source>%1: is a PyTorch pickle, which can run code when it is read; convert the model to safetensors or GGUF</source>
        <translation>%1：是 PyTorch pickle，读取时可能执行代码；请将模型转换为 safetensors 或 GGUF</translation>
    </message>
    <message>
        <source>%1: holds a GGUF file; give the file %2</source>
        <translation>%1：其中有 GGUF 文件；请给出文件 %2</translation>
    </message>
    <message>
        <source>%1: its weights are PyTorch pickles (%2), which can run code when they are read; convert the model to safetensors or GGUF</source>
        <translation>%1：其权重是 PyTorch pickle（%2），读取时可能执行代码；请将模型转换为 safetensors 或 GGUF</translation>
    </message>
    <message>
        <source>%1: no tokenizer.json; fetch the model with its tokenizer.json</source>
        <translation>%1：没有 tokenizer.json；请连同其 tokenizer.json 一起获取模型</translation>
    </message>
    <message>
        <source>%1: no tokenizer.json (tokenizer.model is not read); fetch the model with its tokenizer.json</source>
        <translation>%1：没有 tokenizer.json（不读取 tokenizer.model）；请连同其 tokenizer.json 一起获取模型</translation>
    </message>
    <message>
        <source>%1: the tokenizer has %2 tokens but the model embeds only %3; use the tokenizer that belongs to this model</source>
        <translation>%1：分词器有 %2 个 token，而模型只嵌入 %3 个；请使用属于此模型的分词器</translation>
    </message>
    <message>
        <source>%1: neither model.safetensors nor model.safetensors.index.json; give the folder of a Hugging Face checkpoint</source>
        <translation>%1：既没有 model.safetensors，也没有 model.safetensors.index.json；请给出 Hugging Face 检查点的文件夹</translation>
    </message>
    <message>
        <source>%1: tensor &apos;%2&apos; is missing; the checkpoint does not fit its %3</source>
        <translation>%1：缺少张量“%2”；检查点与其 %3 不符</translation>
    </message>
    <message>
        <source>%1: does not begin with GGUF; give a GGUF file or a Hugging Face model folder</source>
        <translation>%1：不以 GGUF 开头；请给出 GGUF 文件或 Hugging Face 模型文件夹</translation>
    </message>
    <message>
        <source>%1: sweep in use by process %2; wait for it, or end it there and resume here</source>
        <translation>%1：扫描正被进程 %2 使用；请等待，或在那里结束后在此继续</translation>
    </message>
    <message>
        <source>%1: sweep in use by another process; wait for it, or end it there and resume here</source>
        <translation>%1：扫描正被另一个进程使用；请等待，或在那里结束后在此继续</translation>
    </message>
    <message>
        <source>%1: sweep in use by another experiment of this process; wait for it</source>
        <translation>%1：扫描正被本进程的另一个实验使用；请等待</translation>
    </message>
    <message>
        <source>method file &apos;%1&apos;: %2</source>
        <translation>方法文件“%1”：%2</translation>
    </message>
    <message>
        <source>method &apos;%1&apos;: its file is not loaded; give it with --method-file, or drop it on the window</source>
        <translation>方法“%1”：其文件未加载；请用 --method-file 指定，或将其拖放到窗口</translation>
    </message>
    <message>
        <source>method &apos;%1&apos;: its file has changed and is now &apos;%2&apos;; use that, or give the file of before with --method-file</source>
        <translation>方法“%1”：其文件已更改，现在是“%2”；请使用它，或用 --method-file 指定以前的文件</translation>
    </message>
    <message>
        <source>method &apos;%1&apos;: KVantage has a method, budget or codec of this name; set the attribute &apos;name&apos; in the file, or rename it</source>
        <translation>方法“%1”：KVantage 已有同名的方法、预算或编解码器；请在文件中设置属性“name”，或重命名文件</translation>
    </message>
    <message>
        <source>took longer than %1 seconds and was ended</source>
        <translation>耗时超过 %1 秒，已被终止</translation>
    </message>
    <message>
        <source>ended its process: %1</source>
        <translation>结束了其进程：%1</translation>
    </message>
    <message>
        <source>returned NaN for token %1 of KV head %2; return finite scores</source>
        <translation>对 KV 头 %2 的 token %1 返回了 NaN；请返回有限的分数</translation>
    </message>
    <message>
        <source>the last session resumes without %1, whose file is not loaded; drop it on the window again</source>
        <translation>上次的会话在没有 %1 的情况下继续，其文件未加载；请再次将其拖放到窗口</translation>
    </message>
    <message>
        <source>%1: no field is known to hold %2 (its fields: %3); name it with --map %4</source>
        <translation>%1：没有已知字段包含 %2（其字段：%3）；请用 --map %4 指定</translation>
    </message>
    <message>
        <source>%1: there is no field %2; its fields are %3</source>
        <translation>%1：没有字段 %2；其字段为 %3</translation>
    </message>
    <message>
        <source>Predicted, of policies that plan: share of the maximum gain from storing that their final placements do not achieve; of optimal, to the bound of its search; 0: proven optimal.</source>
        <translation>预测值，用于会规划的策略：最终放置未实现的存储最大收益份额；对于 optimal，以其搜索的上界计算；0：已证明为最优。</translation>
    </message>
    <message>
        <source>plans as evicpress does, by a utility of your own: a formula over alpha, quality, ttft, frequency, bytes and others</source>
        <translation>与 evicpress 一样规划，但按自定义的效用：由 alpha、quality、ttft、frequency、bytes 等组成的公式</translation>
    </message>
    <message>
        <source>a formula; the plan has the largest sum of its values over contexts that it finds</source>
        <translation>公式；规划取其在所有上下文上的值之和所能找到的最大者</translation>
    </message>
    <message>
        <source>value of quality, as set</source>
        <translation>设定的质量价值</translation>
    </message>
    <message>
        <source>expected quality of answers over this form</source>
        <translation>以此形式回答的预期质量</translation>
    </message>
    <message>
        <source>predicted TTFT over this form, without queueing</source>
        <translation>以此形式的预测 TTFT，不含排队</translation>
    </message>
    <message>
        <source>requests for the context, decayed</source>
        <translation>对该上下文的请求数，随时间衰减</translation>
    </message>
    <message>
        <source>size of the cache that serves a request: the entry, or the uncompressed cache if not stored</source>
        <translation>服务请求的缓存大小：条目，或未存储时的未压缩缓存</translation>
    </message>
    <message>
        <source>length of the context</source>
        <translation>上下文长度</translation>
    </message>
    <message>
        <source>tokens of the cache that serves a request</source>
        <translation>服务请求的缓存所含的 token</translation>
    </message>
    <message>
        <source>predicted TTFT if not stored</source>
        <translation>未存储时的预测 TTFT</translation>
    </message>
    <message>
        <source>time to read the entry from its tier; 0 if not stored</source>
        <translation>从层级读取条目的时间；未存储时为 0</translation>
    </message>
    <message>
        <source>size of the uncompressed cache</source>
        <translation>未压缩缓存的大小</translation>
    </message>
    <message>
        <source>expected quality over the uncompressed cache</source>
        <translation>以未压缩缓存回答的预期质量</translation>
    </message>
    <message>
        <source>1: an entry on a tier; 0: not stored</source>
        <translation>1：条目在某层级；0：未存储</translation>
    </message>
    <message>
        <source>optimal plan by branch and bound, then by a MILP solver; what limits end is the best found, with its gap</source>
        <translation>先用分支定界、再用 MILP 求解器得到的最优方案；受限制中断时为找到的最佳方案及其差距</translation>
    </message>
    <message>
        <source>keeps what adds most to the output when the context is repeated</source>
        <translation>保留重复上下文时对输出贡献最大的</translation>
    </message>
    <message>
        <source>keeps tokens that the last queries attend to, counted by position</source>
        <translation>保留最后若干查询所关注的，按位置计数</translation>
    </message>
    <message>
        <source>keeps everything but in lazy layers, which keep the first and most recent tokens</source>
        <translation>保留全部，但惰性层只保留最初和最新的 token</translation>
    </message>
    <message>
        <source>keeps everything in some heads, the first and most recent tokens in the others</source>
        <translation>部分头保留全部，其余头只保留最初和最新的 token</translation>
    </message>
    <message>
        <source>keeps tokens whose keys and values weigh most locally</source>
        <translation>保留键和值在局部权重最大的 token</translation>
    </message>
    <message>
        <source>keeps outliers among the keys before RoPE</source>
        <translation>保留 RoPE 之前的键中的离群者</translation>
    </message>
    <message>
        <source>keeps tokens that their chunk attends to, before and after them</source>
        <translation>保留所在块前后都关注的 token</translation>
    </message>
    <message>
        <source>keeps outliers that their chunk attends to</source>
        <translation>保留所在块所关注的离群者</translation>
    </message>
    <message>
        <source>keeps values that span most, weighted by future queries</source>
        <translation>保留张成最多的值，按未来查询加权</translation>
    </message>
    <message>
        <source>keeps keys against the main direction of the queries</source>
        <translation>保留与查询主方向相反的键</translation>
    </message>
    <message>
        <source>keeps tokens that a trained model of KVzip&apos;s scores keeps</source>
        <translation>保留由预测 KVzip 分数的训练模型所保留的 token</translation>
    </message>
    <message>
        <source>keeps tokens that trained gates keep</source>
        <translation>保留由训练的门控所保留的 token</translation>
    </message>
    <message>
        <source>whole chunks, of those with few high scores only the best tokens</source>
        <translation>整块；只有少数高分的块仅保留最好的 token</translation>
    </message>
    <message>
        <source>a share of its own for every layer</source>
        <translation>每层各有自己的比例</translation>
    </message>
    <message>
        <source>tokens above a score, and the most recent ones</source>
        <translation>分数达到阈值的 token 以及最新的</translation>
    </message>
    <message>
        <source>the best half, then by what their values add to the output</source>
        <translation>先取最好的一半，再按值对输出的贡献</translation>
    </message>
    <message>
        <source>as adakv, then half of each head by what values add to the output</source>
        <translation>同 adakv，每个头的一半再按值对输出的贡献</translation>
    </message>
    <message>
        <source>the same share of every chunk of tokens</source>
        <translation>每个 token 块比例相同</translation>
    </message>
    <message>
        <source>block by block: what is kept competes with the next block</source>
        <translation>逐块：已保留的与下一块竞争</translation>
    </message>
    <message>
        <source>keys without the channels that the last queries read least</source>
        <translation>去掉最后若干查询读取最少的通道后的键</translation>
    </message>
    <message>
        <source>drops rows whose keys and values weigh least locally</source>
        <translation>丢弃键和值在局部权重最小的行</translation>
    </message>
    <message>
        <source>scorer of the file %1</source>
        <translation>文件 %1 的评分器</translation>
    </message>
    <message>
        <source>code of a file, in a process of its own</source>
        <translation>文件中的代码，在单独的进程中运行</translation>
    </message>
    <message>
        <source>%1 was full; moving this context cost the least by the formula (%2); runner-up: %3 to %4 (%5)</source>
        <translation>%1 已满；按公式，移动此上下文的损失最小（%2）；次优：将 %3 移至 %4（%5）</translation>
    </message>
    <message>
        <source>%1 was full; moving this context cost the least by the formula (%2); no other context could be displaced</source>
        <translation>%1 已满；按公式，移动此上下文的损失最小（%2）；没有其他上下文可以让出空间</translation>
    </message>
    <message>
        <source>Utility is the formula %1. This choice: %2.</source>
        <translation>效用为公式 %1。此选择：%2。</translation>
    </message>
    <message>
        <source>Utility is the formula %1. This choice: %2. Runner-up: %3.</source>
        <translation>效用为公式 %1。此选择：%2。次优：%3。</translation>
    </message>
    <message>
        <source>Runner-up: %1, with %2 less utility (%3).</source>
        <translation>次优：%1，效用少 %2（%3）。</translation>
    </message>
    <message>
        <source>%1 would gain %2 of utility (%3), but the entry is larger than the budget of %4, %5.</source>
        <translation>%1 会获得 %2 效用（%3），但条目大于 %4 的预算 %5。</translation>
    </message>
    <message>
        <source>%1 would gain %2 of utility (%3) and displace no other context</source>
        <translation>%1 会获得 %2 效用（%3），且不会挤走其他上下文</translation>
    </message>
    <message>
        <source>%1 would gain %2 of utility (%3), and others would move and gain %4 of utility (%5)</source>
        <translation>%1 会获得 %2 效用（%3），其他上下文会移动并获得 %4 效用（%5）</translation>
    </message>
    <message>
        <source>%1 would gain %2 of utility (%3), but %4 is full: it would displace others, costing %5 of utility (%6)</source>
        <translation>%1 会获得 %2 效用（%3），但 %4 已满：它会挤走其他上下文，损失 %5 效用（%6）</translation>
    </message>
    <message>
        <source>%1 would gain %2 of utility (%3), but it would displace others, costing %4 of utility (%5)</source>
        <translation>%1 会获得 %2 效用（%3），但它会挤走其他上下文，损失 %4 效用（%5）</translation>
    </message>
    <message>
        <source>%1. Net gain %2 of utility: the policy takes the smallest utility drop at each step and misses it.</source>
        <translation>%1。净增 %2 效用：该策略每一步取最小的效用损失，因此错过了它。</translation>
    </message>
    <message>
        <source>%1: net loss %2 of utility.</source>
        <translation>%1：净损失 %2 效用。</translation>
    </message>
    <message>
        <source>%1 to %2, uncompressed, %3 of utility</source>
        <translation>%1 移至 %2，未压缩，%3 效用</translation>
    </message>
    <message>
        <source>%1 to %2, %3, %4 % removed, %5 of utility</source>
        <translation>%1 移至 %2，%3，移除 %4 %，%5 效用</translation>
    </message>
    <message>
        <source>%1 to %2, %3, %4 of utility</source>
        <translation>%1 移至 %2，%3，%4 效用</translation>
    </message>
    <message>
        <source>%1 to not stored, %2 of utility</source>
        <translation>%1 不再存储，%2 效用</translation>
    </message>
    <message>
        <source>layers of the model see or rotate differently</source>
        <translation>模型各层的可见范围或旋转方式不同</translation>
    </message>
    <message>
        <source>better by %1, n = %2, runs = %3</source>
        <translation>好 %1，n = %2，运行数 = %3</translation>
    </message>
    <message>
        <source>worse by %1, n = %2, runs = %3</source>
        <translation>差 %1，n = %2，运行数 = %3</translation>
    </message>
    <message>
        <source>not significant (n = %1, runs = %2)</source>
        <translation>不显著（n = %1，运行数 = %2）</translation>
    </message>
    <message>
        <source>not judged: %1 over %2 pairs may be the noise between single runs; serve each several times (--repeat)</source>
        <translation>未评判：%2 对上的 %1 可能只是单次运行之间的噪声；请将每个运行重复多次（--repeat）</translation>
    </message>
    <message>
        <source>not judged: %1 over %2 pairs of %3 runs may be the noise between single runs; serve each several times (--repeat)</source>
        <translation>未评判：%3 次运行的 %2 对上的 %1 可能只是单次运行之间的噪声；请将每个运行重复多次（--repeat）</translation>
    </message>
    <message>
        <source>not judged: the difference may be the noise between single runs; serve each several times (--repeat)</source>
        <translation>未评判：差异可能只是单次运行之间的噪声；请将每个运行重复多次（--repeat）</translation>
    </message>
    <message>
        <source>not significant: %1 over %2 pairs of %3 runs includes 0</source>
        <translation>不显著：%3 次运行的 %2 对上的 %1 包含 0</translation>
    </message>
    <message>
        <source>better: %1 over %2 pairs of %3 runs excludes 0</source>
        <translation>更好：%3 次运行的 %2 对上的 %1 不包含 0</translation>
    </message>
    <message>
        <source>worse: %1 over %2 pairs of %3 runs excludes 0</source>
        <translation>更差：%3 次运行的 %2 对上的 %1 不包含 0</translation>
    </message>
    <message>
        <source>quality cannot be compared here</source>
        <translation>此处无法比较质量</translation>
    </message>
    <message>
        <source>proven</source>
        <translation>已证明</translation>
    </message>
    <message>
        <source>quality cannot be compared here: with uncompressed caches %1 is %2, not above that of answers to other questions (%3)</source>
        <translation>此处无法比较质量：使用未压缩缓存时 %1 为 %2，不高于其他问题的答案（%3）</translation>
    </message>
    <message>
        <source>a fixed load before and after these runs took %1 to %2 ms: it moved by %3 %</source>
        <translation>这些运行前后的固定负载耗时 %1 至 %2 ms：变化了 %3 %</translation>
    </message>
    <message>
        <source>%1 runs of these were served at the same time as another one: on one machine each slows the other, and times are of both</source>
        <translation>其中 %1 个运行与另一个同时进行：在同一台机器上它们会互相拖慢，时间包含两者</translation>
    </message>
    <message>
        <source>%1: %2 runs of each side, with %3 contexts, find a difference of 10 % in 9 of 10 comparisons (these: %4)</source>
        <translation>%1：每一方 %2 次运行、%3 个上下文，可在 10 次比较中的 9 次发现 10 % 的差异（目前：%4）</translation>
    </message>
    <message>
        <source>%1: more runs alone do not find a difference of 10 %; serve more contexts (these: %2)</source>
        <translation>%1：仅增加运行次数无法发现 10 % 的差异；请增加上下文（目前：%2）</translation>
    </message>
    <message>
        <source>%1 Quality is not compared: with uncompressed caches, %2 is not above chance.</source>
        <translation>%1 不比较质量：使用未压缩缓存时，%2 不高于随机。</translation>
    </message>
    <message>
        <source>%1 Quality is not compared: %2 of every answer is 0.</source>
        <translation>%1 不比较质量：每个回答的 %2 都是 0。</translation>
    </message>
    <message>
        <source>%1: is a Git LFS pointer, not the data; fetch the data with &apos;git lfs pull&apos;, or download the file itself</source>
        <translation>%1：是 Git LFS 指针，而不是数据；请用 &apos;git lfs pull&apos; 获取数据，或下载文件本身</translation>
    </message>
    <message>
        <source>%1: is a git-annex pointer, not the data; fetch the data with &apos;git annex get&apos;</source>
        <translation>%1：是 git-annex 指针，而不是数据；请用 &apos;git annex get&apos; 获取数据</translation>
    </message>
    <message>
        <source>%1: is compressed with gzip; unpack it first with gunzip</source>
        <translation>%1：已用 gzip 压缩；请先用 gunzip 解压</translation>
    </message>
    <message>
        <source>%1: is compressed with Zstandard; unpack it first with zstd -d</source>
        <translation>%1：已用 Zstandard 压缩；请先用 zstd -d 解压</translation>
    </message>
    <message>
        <source>%1: is compressed with xz; unpack it first with unxz</source>
        <translation>%1：已用 xz 压缩；请先用 unxz 解压</translation>
    </message>
    <message>
        <source>%1: is compressed with bzip2; unpack it first with bunzip2</source>
        <translation>%1：已用 bzip2 压缩；请先用 bunzip2 解压</translation>
    </message>
    <message>
        <source>%1: is compressed with LZ4; unpack it first with lz4 -d</source>
        <translation>%1：已用 LZ4 压缩；请先用 lz4 -d 解压</translation>
    </message>
    <message>
        <source>%1: is a zip archive (.npz, .xlsx and PyTorch files are some, too); unpack it first and give a file of it</source>
        <translation>%1：是 zip 归档（.npz、.xlsx 和 PyTorch 文件也是）；请先解压并指定其中的一个文件</translation>
    </message>
    <message>
        <source>%1: is an empty zip archive; download it again</source>
        <translation>%1：是空的 zip 归档；请重新下载</translation>
    </message>
    <message>
        <source>%1: is a 7z archive; unpack it first and give a file of it</source>
        <translation>%1：是 7z 归档；请先解压并指定其中的一个文件</translation>
    </message>
    <message>
        <source>%1: is a RAR archive; unpack it first and give a file of it</source>
        <translation>%1：是 RAR 归档；请先解压并指定其中的一个文件</translation>
    </message>
    <message>
        <source>%1: is a tar archive; unpack it first with tar -x and give a file of it</source>
        <translation>%1：是 tar 归档；请先用 tar -x 解压并指定其中的一个文件</translation>
    </message>
    <message>
        <source>%1: is a SQLite database; export its table as CSV: sqlite3 -csv -header</source>
        <translation>%1：是 SQLite 数据库；请将其中的表导出为 CSV：sqlite3 -csv -header</translation>
    </message>
    <message>
        <source>%1: is an Arrow file; save it as Parquet or as JSON lines, e.g. with Dataset.to_json</source>
        <translation>%1：是 Arrow 文件；请保存为 Parquet 或 JSON 行，例如用 Dataset.to_json</translation>
    </message>
    <message>
        <source>%1: is an Arrow stream, as a saved Hugging Face data set has; save it as JSON lines with Dataset.to_json</source>
        <translation>%1：是 Arrow 流，即保存的 Hugging Face 数据集所用的形式；请用 Dataset.to_json 保存为 JSON 行</translation>
    </message>
    <message>
        <source>%1: is a Feather file; save it as Parquet or CSV</source>
        <translation>%1：是 Feather 文件；请保存为 Parquet 或 CSV</translation>
    </message>
    <message>
        <source>%1: is an ORC file; save it as Parquet or CSV</source>
        <translation>%1：是 ORC 文件；请保存为 Parquet 或 CSV</translation>
    </message>
    <message>
        <source>%1: is an Avro file; save it as JSON lines</source>
        <translation>%1：是 Avro 文件；请保存为 JSON 行</translation>
    </message>
    <message>
        <source>%1: is an HDF5 file; save its texts as JSON lines</source>
        <translation>%1：是 HDF5 文件；请将其文本保存为 JSON 行</translation>
    </message>
    <message>
        <source>%1: is a NumPy array; save its texts as JSON lines</source>
        <translation>%1：是 NumPy 数组；请将其文本保存为 JSON 行</translation>
    </message>
    <message>
        <source>%1: is a model in GGUF; give it with --model</source>
        <translation>%1：是 GGUF 格式的模型；请用 --model 指定</translation>
    </message>
    <message>
        <source>%1: is a PDF; save its text with pdftotext</source>
        <translation>%1：是 PDF；请用 pdftotext 保存其文本</translation>
    </message>
    <message>
        <source>%1: is a picture; give the file of the data</source>
        <translation>%1：是图片；请指定数据文件</translation>
    </message>
    <message>
        <source>%1: is a program; give the file of the data</source>
        <translation>%1：是程序；请指定数据文件</translation>
    </message>
    <message>
        <source>%1: is an Office document of the old form; save it as CSV or text</source>
        <translation>%1：是旧格式的 Office 文档；请保存为 CSV 或文本</translation>
    </message>
    <message>
        <source>%1: is a Python pickle, which can run code when it is loaded; save it as JSON lines</source>
        <translation>%1：是 Python pickle，加载时可能运行代码；请保存为 JSON 行</translation>
    </message>
    <message>
        <source>%1: is a web page, not the data; download the file itself (on GitHub: Raw)</source>
        <translation>%1：是网页，而不是数据；请下载文件本身（在 GitHub 上：Raw）</translation>
    </message>
    <message>
        <source>%1: is a Parquet file; save it as CSV</source>
        <translation>%1：是 Parquet 文件；请保存为 CSV</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>no tiers are given: %1 (a tenth and a fifth of the uncompressed caches)</source>
        <translation>未指定层级：%1（未压缩缓存的十分之一和五分之一）</translation>
    </message>
    <message>
        <source>%1: quantization &apos;%2&apos; is not supported; use a checkpoint in bfloat16, float16 or float32, or a GGUF file</source>
        <translation>%1：不支持量化“%2”；请使用 bfloat16、float16 或 float32 的检查点，或 GGUF 文件</translation>
    </message>
    <message>
        <source>%1: weights of type &apos;%2&apos; are not supported; convert the checkpoint to bfloat16, float16 or float32</source>
        <translation>%1：不支持类型为“%2”的权重；请将检查点转换为 bfloat16、float16 或 float32</translation>
    </message>
    <message>
        <source>%1: tensor &apos;%2&apos; has type %3; convert the checkpoint to bfloat16, float16 or float32</source>
        <translation>%1：张量“%2”的类型为 %3；请将检查点转换为 bfloat16、float16 或 float32</translation>
    </message>
    <message>
        <source>unknown method &apos;%1&apos;; choose one of %2, or see kvantage-cli methods; one of your own needs --method-file FILE</source>
        <translation>方法“%1”：未知；请从 %2 中选择，或见 kvantage-cli methods；自己的方法需要 --method-file FILE</translation>
    </message>
    <message>
        <source>%1: not valid JSON (byte %2 is not UTF-8); convert it, e.g. with iconv -f LATIN1 -t UTF-8</source>
        <translation>%1：不是有效的 JSON（第 %2 个字节不是 UTF-8）；请转换，例如用 iconv -f LATIN1 -t UTF-8</translation>
    </message>
    <message>
        <source>%1: is not UTF-8; convert it, e.g. with iconv -f LATIN1 -t UTF-8</source>
        <translation>%1：不是 UTF-8；请转换，例如用 iconv -f LATIN1 -t UTF-8</translation>
    </message>
    <message>
        <source>With speculation, of a request: answer tokens after the first one per decoding pass; tokens drafted; of these, those that the model chose as well.</source>
        <translation>启用推测解码时，每个请求：首个 token 之后每次解码前向得到的回答 token；草稿 token；其中模型也选择的 token。</translation>
    </message>
    <message>
        <source>decode-time eviction works token by token</source>
        <translation>解码时逐出按 token 逐个进行</translation>
    </message>
    <message>
        <source>Profiling answers</source>
        <translation>正在剖析回答</translation>
    </message>
    <message>
        <source>tier %1: %2, of %3</source>
        <translation>存储层 %1：%2，来自 %3</translation>
    </message>
    <message>
        <source>tier %1: %2 at %3, of %4</source>
        <translation>存储层 %1：%2，位于 %3，来自 %4</translation>
    </message>
    <message>
        <source>policy %1, of cache_policy</source>
        <translation>策略 %1，来自 cache_policy</translation>
    </message>
    <message>
        <source>policy %1, of cache_policy (LMCache&apos;s default)</source>
        <translation>策略 %1，来自 cache_policy（LMCache 的默认值）</translation>
    </message>
    <message>
        <source>policy full_prefill: the file has no place for caches</source>
        <translation>策略 full_prefill：该文件没有存放缓存的位置</translation>
    </message>
    <message>
        <source>max concurrency %1, of max-num-seqs</source>
        <translation>最大并发数 %1，来自 max-num-seqs</translation>
    </message>
    <message>
        <source>policy %1, of vLLM&apos;s settings</source>
        <translation>策略 %1，来自 vLLM 的设置</translation>
    </message>
    <message>
        <source>%1: no equivalent</source>
        <translation>%1：没有对应设置</translation>
    </message>
    <message>
        <source>%1: no setting of LMCache 0.5.6, which ignores it</source>
        <translation>%1：不是 LMCache 0.5.6 的设置，会被其忽略</translation>
    </message>
    <message>
        <source>%1: no setting of LMCache 0.5.6, which ignores it; %2</source>
        <translation>%1：不是 LMCache 0.5.6 的设置，会被其忽略；%2</translation>
    </message>
    <message>
        <source>%1: entries of LMCache on that server are not read; KVantage stores its own there</source>
        <translation>%1：不读取该服务器上 LMCache 的条目；KVantage 在那里存放自己的条目</translation>
    </message>
    <message>
        <source>remote_serde %1: encodes only what goes to the server; the codec of a policy like fixed(cachegen,0) holds in all tiers</source>
        <translation>remote_serde %1：只编码发往服务器的内容；fixed(cachegen,0) 这类策略的编解码器适用于所有存储层</translation>
    </message>
    <message>
        <source>cache_policy %1: no such eviction order; lru is used</source>
        <translation>cache_policy %1：没有这种淘汰顺序；使用 lru</translation>
    </message>
    <message>
        <source>max_local_cpu_size: with local_cpu false it is only a buffer on the way to other tiers</source>
        <translation>max_local_cpu_size：local_cpu 为 false 时，它只是通往其他存储层的缓冲区</translation>
    </message>
    <message>
        <source>max_local_cpu_size (LMCache&apos;s default): with local_cpu false it is only a buffer on the way to other tiers</source>
        <translation>max_local_cpu_size（LMCache 的默认值）：local_cpu 为 false 时，它只是通往其他存储层的缓冲区</translation>
    </message>
    <message>
        <source>local_disk: its folder; the tier is in a folder of the store</source>
        <translation>local_disk：其文件夹；该存储层位于存储的文件夹中</translation>
    </message>
    <message>
        <source>local_disk: LMCache has no disk tier without a max_local_disk_size</source>
        <translation>local_disk：没有 max_local_disk_size 时，LMCache 没有磁盘存储层</translation>
    </message>
    <message>
        <source>chunk_size %1: contexts are stored whole</source>
        <translation>chunk_size %1：上下文整体存储</translation>
    </message>
    <message>
        <source>save_decode_cache: answers are not stored</source>
        <translation>save_decode_cache：不存储回答</translation>
    </message>
    <message>
        <source>save_unfull_chunk false: contexts are stored up to their last token</source>
        <translation>save_unfull_chunk 为 false：上下文存储到最后一个 token</translation>
    </message>
    <message>
        <source>secondary_tiers: a tier %1; one tier in a folder is set</source>
        <translation>secondary_tiers：存储层 %1；只设置一个文件夹中的存储层</translation>
    </message>
    <message>
        <source>secondary_tiers: a tier %1; only fs, a folder, is known</source>
        <translation>secondary_tiers：存储层 %1；只支持 fs（文件夹）</translation>
    </message>
    <message>
        <source>secondary_tiers: root_dir: its folder; the tier is in a folder of the store</source>
        <translation>secondary_tiers：root_dir：其文件夹；该存储层位于存储的文件夹中</translation>
    </message>
    <message>
        <source>eviction_policy %1: no such eviction order; lru is used</source>
        <translation>eviction_policy %1：没有这种淘汰顺序；使用 lru</translation>
    </message>
    <message>
        <source>block_size: contexts are stored whole</source>
        <translation>block_size：上下文整体存储</translation>
    </message>
    <message>
        <source>blocks_per_chunk: contexts are stored whole</source>
        <translation>blocks_per_chunk：上下文整体存储</translation>
    </message>
    <message>
        <source>kv_role %1: a session stores and loads</source>
        <translation>kv_role %1：会话既存储又加载</translation>
    </message>
    <message>
        <source>max-num-seqs above %1: the most that a session has</source>
        <translation>max-num-seqs 大于 %1：会话的最大值</translation>
    </message>
    <message>
        <source>kv-cache-dtype %1: vLLM also computes on fp8; here it is the form in the tiers</source>
        <translation>kv-cache-dtype %1：vLLM 也用 fp8 计算；这里只是存储层中的形式</translation>
    </message>
    <message>
        <source>kv-offloading-size: with the backend %1 the sizes are those of a server of its own</source>
        <translation>kv-offloading-size：使用后端 %1 时，大小由其单独的服务器决定</translation>
    </message>
    <message>
        <source>enable-prefix-caching false: the tiers are used, as its connector does</source>
        <translation>enable-prefix-caching 为 false：仍使用存储层，与其连接器相同</translation>
    </message>
    <message>
        <source>model: choose one with --model</source>
        <translation>model：请用 --model 选择模型</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>另有 %1 项</translation>
    </message>
    <message>
        <source>%1: has no setting of LMCache or vLLM; give LMCache&apos;s file, or vLLM&apos;s --config or --kv-transfer-config</source>
        <translation>%1：没有 LMCache 或 vLLM 的设置；请提供 LMCache 的文件，或 vLLM 的 --config 或 --kv-transfer-config</translation>
    </message>
    <message>
        <source>%1: names no tier that KVantage has (%2); give tiers with --tier</source>
        <translation>%1：没有 KVantage 拥有的存储层（%2）；请用 --tier 指定存储层</translation>
    </message>
    <message>
        <source>%1: names no tier that KVantage has; give tiers with --tier</source>
        <translation>%1：没有 KVantage 拥有的存储层；请用 --tier 指定存储层</translation>
    </message>
    <message>
        <source>vLLM keeps caches on the GPU only, in memory that it sizes itself</source>
        <translation>vLLM 只在 GPU 上保存缓存，其内存大小由它自己决定</translation>
    </message>
    <message>
        <source>%1: %2: &apos;%3&apos; is not a number; correct it</source>
        <translation>%1：%2：“%3”不是数字；请更正</translation>
    </message>
    <message>
        <source>%1: %2: &apos;%3&apos; is not a size in GiB; correct it</source>
        <translation>%1：%2：“%3”不是以 GiB 为单位的大小；请更正</translation>
    </message>
    <message>
        <source>%1: %2: &apos;%3&apos; is not a number of bytes; correct it</source>
        <translation>%1：%2：“%3”不是字节数；请更正</translation>
    </message>
    <message>
        <source>%1: %2 has its sizes in LMCache&apos;s own file (LMCACHE_CONFIG_FILE); give that file</source>
        <translation>%1：%2 的大小在 LMCache 自己的文件中（LMCACHE_CONFIG_FILE）；请提供该文件</translation>
    </message>
    <message>
        <source>%1: line %2: an alias (*) is not read; write the value out</source>
        <translation>%1：第 %2 行：不读取别名 (*)；请写出值</translation>
    </message>
    <message>
        <source>%1: line %2: an anchor (&amp;) is not read; write the value out</source>
        <translation>%1：第 %2 行：不读取锚点 (&amp;)；请写出值</translation>
    </message>
    <message>
        <source>%1: line %2: a tag (!) is not read; leave it out</source>
        <translation>%1：第 %2 行：不读取标签 (!)；请删去</translation>
    </message>
    <message>
        <source>%1: line %2: a merge key (&lt;&lt;) is not read; write the values out</source>
        <translation>%1：第 %2 行：不读取合并键 (&lt;&lt;)；请写出值</translation>
    </message>
    <message>
        <source>%1: line %2: a second document begins; keep one</source>
        <translation>%1：第 %2 行：出现第二个文档；请只保留一个</translation>
    </message>
    <message>
        <source>%1: line %2: nested too deeply; at most %3 levels are read</source>
        <translation>%1：第 %2 行：嵌套过深；最多读取 %3 层</translation>
    </message>
    <message>
        <source>%1: line %2: a key is a list or an object; write it as a text</source>
        <translation>%1：第 %2 行：键是列表或对象；请写成文本</translation>
    </message>
    <message>
        <source>%1: this build reads no YAML; install libyaml-dev and build again, or convert the file to JSON</source>
        <translation>%1：此构建不读取 YAML；请安装 libyaml-dev 后重新构建，或将文件转换为 JSON</translation>
    </message>
    <message>
        <source>speculation, tokens per pass</source>
        <translation>speculation，每次前向的 token 数</translation>
    </message>
    <message>
        <source>%1: is no url</source>
        <translation>%1：不是 URL</translation>
    </message>
    <message>
        <source>%1: a store %2://; tiers on servers are Redis or Valkey</source>
        <translation>%1：存储 %2://；服务器上的存储层只能是 Redis 或 Valkey</translation>
    </message>
    <message>
        <source>%1: nodes of the cluster that it does not name; add them to the url of the tier</source>
        <translation>%1：未列出的集群节点；请将它们加入存储层的 URL</translation>
    </message>
    <message>
        <source>%1: %2: is longer than %3 bytes; shorten it</source>
        <translation>%1：%2：超过 %3 字节；请缩短</translation>
    </message>
    <message>
        <source>%1: %2: holds a control character; remove it</source>
        <translation>%1：%2：含有控制字符；请删去</translation>
    </message>
    <message>
        <source>%1: what follows its ?</source>
        <translation>%1：? 之后的部分</translation>
    </message>
    <message>
        <source>%1: %2: holds a password; leave it out, and put it where docs/security.md says</source>
        <translation>%1：%2：含有密码；请删去，并放到 docs/security.md 所说的位置</translation>
    </message>
    <message>
        <source>%1: %2: &apos;%3&apos; is not a text; correct it</source>
        <translation>%1：%2：“%3”不是文本；请更正</translation>
    </message>
    <message>
        <source>%1: chunk_size: is not a whole number of tokens; correct it</source>
        <translation>%1：chunk_size：不是整数个 token；请更正</translation>
    </message>
    <message>
        <source>%1: max-num-seqs: is not a whole number above 0; correct it</source>
        <translation>%1：max-num-seqs：不是大于 0 的整数；请更正</translation>
    </message>
    <message>
        <source>%1: kv_connector_extra_config: is no object; correct it</source>
        <translation>%1：kv_connector_extra_config：不是对象；请更正</translation>
    </message>
    <message>
        <source>%1: kv-transfer-config: is no object; correct it</source>
        <translation>%1：kv-transfer-config：不是对象；请更正</translation>
    </message>
    <message>
        <source>%1: has more than %2; settings are short: give the file of a serving system</source>
        <translation>%1：超过 %2；设置文件都很短：请提供推理服务系统的文件</translation>
    </message>
    <message>
        <source>%1: no memory for its parser; close other programs</source>
        <translation>%1：解析器内存不足；请关闭其他程序</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not known; write library or batch_invariant</source>
        <translation>“%1”未知；请写 library 或 batch_invariant</translation>
    </message>
    <message>
        <source>this session&apos;s model was loaded with %1; start a session with --products %2</source>
        <translation>本会话的模型以 %1 加载；请用 --products %2 启动新会话</translation>
    </message>
    <message>
        <source>%1: is a file of the system that waits for more, a file was expected; give a file</source>
        <translation>%1：是会一直等待新内容的系统文件，此处应为普通文件；请给出一个文件</translation>
    </message>
    <message>
        <source>%1: rotary scaling &apos;%2&apos; is not supported; use default, linear, dynamic, llama3, yarn or longrope</source>
        <translation>%1：不支持旋转位置缩放“%2”；请使用 default、linear、dynamic、llama3、yarn 或 longrope</translation>
    </message>
    <message>
        <source>%1: has no times; add a table of times, or choose another</source>
        <translation>%1：没有时间数据；请添加时间表，或选择其他模型</translation>
    </message>
    <message>
        <source>%1: has no times of a tier; add a table of times with a column tier</source>
        <translation>%1：没有层级的时间数据；请添加含 tier 列的时间表</translation>
    </message>
    <message>
        <source>%1: has no requests; give another trace</source>
        <translation>%1：没有请求；请提供其他 trace</translation>
    </message>
    <message>
        <source>%1: a maximum length of %2 tokens is more than the model&apos;s %3 positions (%4); lower --max-model-len</source>
        <translation>%1：最大长度 %2 个 token 超过模型的 %3 个位置（%4）；请减小 --max-model-len</translation>
    </message>
    <message>
        <source>80 GB of DRAM and 800 GB of SSD</source>
        <translation>80 GB DRAM 和 800 GB SSD</translation>
    </message>
    <message>
        <source>DRAM as a share of all KV, such as the 0.4 of the authors&apos; simulator; SSD is ten times that</source>
        <translation>DRAM 占全部 KV 的比例，例如作者模拟器的 0.4；SSD 为其十倍</translation>
    </message>
    <message>
        <source>refused: credentials: %1; check the keys and their rights</source>
        <translation>被拒绝：凭据：%1；请检查密钥及其权限</translation>
    </message>
    <message>
        <source>writes are not conditional: %1</source>
        <translation>写入无法带条件：%1</translation>
    </message>
    <message>
        <source>cells of an interrupted command</source>
        <translation>沿用被中断命令的单元数</translation>
    </message>
    <message>
        <source>each context once, then uniform, Poisson arrivals</source>
        <translation>每个上下文一次，然后均匀随机，泊松到达</translation>
    </message>
    <message>
        <source>requests per second</source>
        <translation>每秒请求数</translation>
    </message>
    <message>
        <source>quality, by the task&apos;s metric</source>
        <translation>质量（按任务的指标）</translation>
    </message>
    <message>
        <source>metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>%1 is not from 0 to %2; correct it</source>
        <translation>%1 不在 0 到 %2 之间；请更正</translation>
    </message>
    <message>
        <source>%1: is a file of the system, not a database; choose another --db</source>
        <translation>%1：是系统文件，不是数据库；请选择另一个 --db</translation>
    </message>
    <message>
        <source>%1: is a link, pipe or device in place of a lock; move it away</source>
        <translation>%1：锁文件的位置上是链接、管道或设备；请将其移走</translation>
    </message>
    <message>
        <source>What an answer is scored by; by_task: F1, ROUGE-L or CodeBLEU by family, as in the paper; NAME@prefill compares with the answer after a full prefill</source>
        <translation>回答的评分指标；by_task：与论文相同，按类别取 F1、ROUGE-L 或 CodeBLEU；NAME@prefill 与完整预填充后的回答比较</translation>
    </message>
    <message>
        <source>AdaptCache&apos;s policy against KIVI at 8, 4 and 2 bits and StreamingLLM at its rates, each with LRU, under Poisson arrivals; also hits of the fast tier (its figure 1). The same runs serve the paper&apos;s three tasks, each by its own metric against the answer with uncompressed KV: F1 of short answers, ROUGE-L of long ones, CodeBLEU of code. The model is reference-mha.</source>
        <translation>在泊松到达下，将 AdaptCache 的策略与 8、4、2 位的 KIVI 以及各压缩率的 StreamingLLM（均配合 LRU）比较；也给出快速层级的命中率（论文图 1）。同一批运行服务论文的三类任务，各按自己的指标与未压缩 KV 的回答比较：短回答用 F1，长回答用 ROUGE-L，代码用 CodeBLEU。模型为 reference-mha。</translation>
    </message>
    <message>
        <source>AdaptCache at the scale of the paper, simulated</source>
        <translation>按论文规模模拟的 AdaptCache</translation>
    </message>
    <message>
        <source>Lower TTFT than any fixed configuration of equal quality, higher quality than any of equal TTFT, and a higher hit rate of DRAM.</source>
        <translation>TTFT 低于同等质量的任何固定配置，质量高于同等 TTFT 的任何固定配置，DRAM 命中率更高。</translation>
    </message>
    <message>
        <source>measured: 1.43 - 2.4 times lower TTFT at equal quality and 6 - 55 % higher quality at equal TTFT than fixed compression; DRAM hit rate 81, 56, 44 and 11 % for four weights in the coding task, versus 38 % of 2-bit KIVI with LRU</source>
        <translation>实测：与固定压缩相比，同等质量下 TTFT 低 1.43 - 2.4 倍，同等 TTFT 下质量高 6 - 55 %；编码任务中四种权重的 DRAM 命中率为 81、56、44 和 11 %，而配合 LRU 的 2 位 KIVI 为 38 %</translation>
    </message>
    <message>
        <source>100 GB of DRAM and 400 GB of SSD</source>
        <translation>100 GB DRAM 和 400 GB SSD</translation>
    </message>
    <message>
        <source>DRAM as a share of all KV; SSD is four times that</source>
        <translation>DRAM 占全部 KV 的比例；SSD 为其四倍</translation>
    </message>
    <message>
        <source>median prefill of a context, times 0.1, 1, 2, 10</source>
        <translation>上下文预填充时间的中位数乘以 0.1、1、2、10</translation>
    </message>
    <message>
        <source>4 per context</source>
        <translation>每个上下文 4 个</translation>
    </message>
    <message>
        <source>code_bleu for code, rouge_l@prefill for long answers, token_f1@prefill for all others</source>
        <translation>代码用 code_bleu，长回答用 rouge_l@prefill，其余用 token_f1@prefill</translation>
    </message>
    <message>
        <source>By the family of the context, each against the answer with uncompressed KV: AdaptCache&apos;s three metrics.</source>
        <translation>按上下文的类别选取，均与未压缩 KV 的回答比较：AdaptCache 的三种指标。</translation>
    </message>
    <message>
        <source>n %1, about %2 needed</source>
        <translation>n 为 %1，约需 %2</translation>
    </message>
    <message>
        <source>n %1, more would not tell</source>
        <translation>n 为 %1，增加样本也无法判定</translation>
    </message>
    <message>
        <source>about %1 times as many samples needed</source>
        <translation>约需 %1 倍的样本</translation>
    </message>
    <message>
        <source>more samples would not tell</source>
        <translation>增加样本也无法判定</translation>
    </message>
    <message>
        <source>By task, each by its own metric: TTFT (with queueing) against quality, 95 % intervals over contexts</source>
        <translation>按任务，各用自己的指标：TTFT（含排队）与质量，95 % 区间按上下文</translation>
    </message>
    <message>
        <source>adaptcache against fixed configurations by task, TTFT with queueing, 95 % intervals over contexts</source>
        <translation>按任务比较 adaptcache 与固定配置，TTFT 含排队，95 % 区间按上下文</translation>
    </message>
    <message>
        <source>each task has its own metric, from the answers of the same runs: %1</source>
        <translation>每个任务用自己的指标，取自同一批运行的回答：%1</translation>
    </message>
    <message>
        <source>paper&apos;s scale: %1, simulated</source>
        <translation>论文规模：%1，模拟</translation>
    </message>
    <message>
        <source>%1: dram holds %2 % of all KV, uncompressed, ssd %3 %</source>
        <translation>%1：未压缩时 dram 容纳全部 KV 的 %2 %，ssd 容纳 %3 %</translation>
    </message>
    <message>
        <source>unauthorized</source>
        <translation>未授权</translation>
    </message>
    <message>
        <source>idle time</source>
        <translation>空闲时间</translation>
    </message>
    <message>
        <source>assumed, log-normal for each data set: LongBench&apos;s mean in words x 4/3, variation of EvicPress&apos;s table 2</source>
        <translation>假设值，每个数据集为对数正态分布：均值为 LongBench 的单词数 × 4/3，变异取自 EvicPress 表 2</translation>
    </message>
    <message>
        <source>lengths of contexts are assumed, as the paper prints none</source>
        <translation>上下文长度为假设值，论文未给出</translation>
    </message>
    <message>
        <source>%1: is a link in place of a file of the store; put the file itself there, or remove the link</source>
        <translation>%1：存储文件的位置上是链接；请将文件本身放在那里，或删除该链接</translation>
    </message>
    <message>
        <source>%1: is a pipe or device in place of a file of the store; move it away</source>
        <translation>%1：存储文件的位置上是管道或设备；请将其移走</translation>
    </message>
    <message>
        <source>%1: is a link to %2 in place of a database; give that file with --db, or put the file itself there</source>
        <translation>%1：数据库的位置上是指向 %2 的链接；请用 --db 指定该文件，或将文件本身放在那里</translation>
    </message>
    <message>
        <source>Simulates AdaptCache, KIVI and StreamingLLM with LRU, LRU and prefill on 1,100 contexts of six data sets, 100 GB of DRAM and 400 GB of SSD at 1 GB/s, Poisson arrivals, with the authors&apos; seconds per token of Llama-3.1-8B and its 131,072 bytes of KV per token. Each context takes the measured quality curves of a context of the workload that has its task. The paper prints no lengths, so they are assumed: log-normal draws with LongBench&apos;s mean of each data set, which counts words, at four tokens to three words. No claim gets a verdict from these.</source>
        <translation>在六个数据集的 1,100 个上下文上模拟 AdaptCache、配合 LRU 的 KIVI 与 StreamingLLM、LRU 以及预填充：100 GB DRAM，400 GB SSD（1 GB/s），泊松到达，采用作者测得的 Llama-3.1-8B 每词元秒数及其每词元 131,072 字节的 KV。每个上下文采用工作负载中同类任务上下文的实测质量曲线。论文未给出长度，因此长度为假设值：按 LongBench 中各数据集以单词计的均值、每三个单词四个词元，从对数正态分布抽取。这些结果不用于判定任何论断。</translation>
    </message>
    <message>
        <source>Recomputed tokens per layer at each generated token, as the scheduler solves the split at each step, with predicted and measured time, averaged over the blocks. Splits are whole chunks of 8 tokens. Decoded tokens are among them only where the model computes in fp32: a decode step&apos;s layer inputs are fp32. A split of all of the prompt, or of nothing, at both ends gives no verdict.%1</source>
        <translation>每生成一个 token 时每层重算的 token 数，由调度器在每步求解拆分，附预测和实测时间，为各区组的平均值。拆分以 8 个 token 的整块计。仅当模型以 fp32 计算时才包含已解码的 token，因为解码步骤的层输入为 fp32。两端都拆分全部提示或都不拆分时，不作判定。%1</translation>
    </message>
    <message>
        <source>tier &apos;%1&apos;: %2 (and %3 more)</source>
        <translation>层级“%1”：%2（另有 %3 个）</translation>
    </message>
    <message>
        <source>comparison</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>end</source>
        <translation>端点</translation>
    </message>
    <message>
        <source>smallest</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>times faster</source>
        <translation>加速倍数</translation>
    </message>
    <message>
        <source>quality gain %</source>
        <translation>质量提升 %</translation>
    </message>
    <message>
        <source>fixed + lru, equal TTFT</source>
        <translation>fixed + lru，相同 TTFT</translation>
    </message>
    <message>
        <source>impress, equal TTFT</source>
        <translation>impress，相同 TTFT</translation>
    </message>
    <message>
        <source>quality above the others, %</source>
        <translation>高出其他策略的质量，%</translation>
    </message>
    <message>
        <source>score %</source>
        <translation>得分 %</translation>
    </message>
    <message>
        <source>ROUGE-L over the full cache&apos;s, %</source>
        <translation>ROUGE-L 与完整缓存之比，%</translation>
    </message>
    <message>
        <source>is Python; run it first with python3, and give the TorchScript file (.pt) that it saves</source>
        <translation>是 Python；请先用 python3 运行它，然后提供它保存的 TorchScript 文件（.pt）</translation>
    </message>
    <message>
        <source>is Python that saves a method; run it first with python3, and give the TorchScript file (.pt) that it saves with --method-file; to serve it as a text, rename it to .txt</source>
        <translation>是保存方法的 Python；请先用 python3 运行它，然后用 --method-file 提供它保存的 TorchScript 文件（.pt）；若要作为文本提供服务，请将其重命名为 .txt</translation>
    </message>
    <message>
        <source>took longer than %1 seconds and was ended, so it is not run again; load it again</source>
        <translation>耗时超过 %1 秒并已被终止，因此不再运行；请重新加载</translation>
    </message>
    <message>
        <source>%1: its text files are links to files outside it; copy those into it</source>
        <translation>%1：其中的文本文件都是指向文件夹外文件的链接；请将那些文件复制到文件夹内</translation>
    </message>
    <message>
        <source>%1: is a link to a file outside its folder; copy the file into it</source>
        <translation>%1：是指向其文件夹外文件的链接；请将该文件复制到文件夹内</translation>
    </message>
    <message>
        <source>--models: no model is named; give some, comma-separated</source>
        <translation>--models：没有给出模型；请给出若干个，以逗号分隔</translation>
    </message>
    <message>
        <source>--models: %1 is named twice; leave one out</source>
        <translation>--models：%1 被列出两次；请去掉一个</translation>
    </message>
    <message>
        <source>--models: replaces --model; leave one of them out</source>
        <translation>--models：会替代 --model；请去掉其中一个</translation>
    </message>
    <message>
        <source>answers to other questions score %1 % of full quality</source>
        <translation>其他问题的答案得到完整质量的 %1 %</translation>
    </message>
    <message>
        <source>the minimum quality is %1, and answers to other questions score %2</source>
        <translation>最低质量为 %1，其他问题的答案得分为 %2</translation>
    </message>
    <message>
        <source>paper: range over its models</source>
        <translation>论文：其各模型的范围</translation>
    </message>
    <message>
        <source>paper: StreamingLLM</source>
        <translation>论文：StreamingLLM</translation>
    </message>
    <message>
        <source>paper: recomputed, OPT-6.7B</source>
        <translation>论文：重算，OPT-6.7B</translation>
    </message>
    <message>
        <source>article: AIME 2024</source>
        <translation>文章：AIME 2024</translation>
    </message>
    <message>
        <source>article: AIME 2025</source>
        <translation>文章：AIME 2025</translation>
    </message>
    <message>
        <source>Times faster by the paper&apos;s rule, smallest and largest over all budgets, 95 % intervals over contexts</source>
        <translation>按论文规则的加速倍数，所有预算中的最小值与最大值，95 % 区间按上下文计算</translation>
    </message>
    <message>
        <source>Quality at equal TTFT by the paper&apos;s rule, smallest and largest over all budgets, 95 % intervals over contexts</source>
        <translation>按论文规则在相同 TTFT 下的质量，所有预算中的最小值与最大值，95 % 区间按上下文计算</translation>
    </message>
    <message>
        <source>Quality of adaptcache above others at equal TTFT, with queueing, 95 % intervals over contexts</source>
        <translation>相同 TTFT（含排队）下 adaptcache 高出其他策略的质量，95 % 区间按上下文计算</translation>
    </message>
    <message>
        <source>Scores over the full cache&apos;s at the smallest budget, 95 % intervals over texts</source>
        <translation>最小预算下与完整缓存相比的得分，95 % 区间按文本计算</translation>
    </message>
    <message>
        <source>quality cannot be compared here: with uncompressed caches %1 is 0; %2</source>
        <translation>此处无法比较质量：使用未压缩缓存时 %1 为 0；%2</translation>
    </message>
    <message>
        <source>quality cannot be compared here: no answer was scored</source>
        <translation>此处无法比较质量：没有答案被评分</translation>
    </message>
    <message>
        <source>chance unknown: one question a family</source>
        <translation>随机水平未知：每个族只有一个问题</translation>
    </message>
    <message>
        <source>chance unknown: one question a family (%1)</source>
        <translation>随机水平未知：每个族只有一个问题（%1）</translation>
    </message>
    <message>
        <source>chance unknown: it was not measured</source>
        <translation>随机水平未知：未测量</translation>
    </message>
    <message>
        <source>chance unknown: it was not measured (%1)</source>
        <translation>随机水平未知：未测量（%1）</translation>
    </message>
    <message>
        <source>no question has a reference answer: quality is the agreement with the answers of uncompressed caches</source>
        <translation>没有问题带参考答案：质量是与未压缩缓存答案的一致度</translation>
    </message>
    <message>
        <source>reference answers: of %1 of %2 questions; quality of the other %3 is the agreement with the answers of uncompressed caches</source>
        <translation>参考答案：%2 个问题中有 %1 个；其余 %3 个的质量是与未压缩缓存答案的一致度</translation>
    </message>
    <message>
        <source>agreement with uncompressed</source>
        <translation>与未压缩结果的一致度</translation>
    </message>
    <message>
        <source>agreement with uncompressed, %1</source>
        <translation>与未压缩结果的一致度，%1</translation>
    </message>
    <message>
        <source>%1 Quality is not compared: with uncompressed caches, %2 is 0.</source>
        <translation>%1 不比较质量：使用未压缩缓存时，%2 为 0。</translation>
    </message>
    <message>
        <source>Profiling the first curves</source>
        <translation>正在剖析首批曲线</translation>
    </message>
    <message>
        <source>the calibration is</source>
        <translation>校准值</translation>
    </message>
    <message>
        <source>%1 link to a file outside the folder skipped</source>
        <translation>已跳过 %1 个指向文件夹外文件的链接</translation>
    </message>
    <message>
        <source>%1 links to files outside the folder skipped</source>
        <translation>已跳过 %1 个指向文件夹外文件的链接</translation>
    </message>
</context>
<context>
    <name>kvantage::AboutDialog</name>
    <message>
        <source>included</source>
        <translation>随程序提供</translation>
    </message>
    <message>
        <source>linked</source>
        <translation>链接</translation>
    </message>
    <message>
        <source>compiled in</source>
        <translation>编译进程序</translation>
    </message>
    <message>
        <source>Default model (resources/model)</source>
        <translation>默认模型 (resources/model)</translation>
    </message>
    <message>
        <source>Sample workloads</source>
        <translation>示例工作负载</translation>
    </message>
    <message>
        <source>fetched, linked</source>
        <translation>下载，链接</translation>
    </message>
    <message>
        <source>public domain</source>
        <translation>公有领域</translation>
    </message>
    <message>
        <source>fetched, for the cosine metric only</source>
        <translation>下载，仅用于余弦指标</translation>
    </message>
    <message>
        <source>About KVantage</source>
        <translation>关于 KVantage</translation>
    </message>
    <message>
        <source>KVantage %1, commit %2 with local changes, Qt %3</source>
        <translation>KVantage %1，提交 %2（含本地修改），Qt %3</translation>
    </message>
    <message>
        <source>KVantage %1, commit %2, Qt %3</source>
        <translation>KVantage %1，提交 %2，Qt %3</translation>
    </message>
    <message>
        <source>(unknown version)</source>
        <translation>（未知版本）</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>A workbench for KV-cache compression and eviction. License: GPL-3.0-only, without any warranty.</source>
        <translation>KV 缓存压缩与驱逐的工作台。许可证：GPL-3.0-only，不提供任何担保。</translation>
    </message>
    <message>
        <source>Component</source>
        <translation>组件</translation>
    </message>
    <message>
        <source>License</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>How it is included</source>
        <translation>集成方式</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Components that ship with KVantage or are linked into it, and their licenses</source>
        <translation>随 KVantage 提供或链接的组件及其许可证</translation>
    </message>
    <message>
        <source>C&amp;opy</source>
        <translation>复制(&amp;O)</translation>
    </message>
    <message>
        <source>Copy version, commit and hardware for a bug report</source>
        <translation>复制版本、提交和硬件信息，用于报告问题</translation>
    </message>
    <message>
        <source>About &amp;Qt</source>
        <translation>关于 &amp;Qt</translation>
    </message>
    <message>
        <source>About Qt</source>
        <translation>关于 Qt</translation>
    </message>
    <message>
        <source>fetched, for Parquet only</source>
        <translation>按需获取，仅用于 Parquet</translation>
    </message>
</context>
<context>
    <name>kvantage::ArrivalControls</name>
    <message>
        <source>Arrivals</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>Re-profile on drift</source>
        <translation>漂移时重新剖析</translation>
    </message>
    <message>
        <source>closed loop (back-to-back)</source>
        <translation>闭环（背靠背）</translation>
    </message>
    <message>
        <source> requests/s</source>
        <translation> 请求/s</translation>
    </message>
    <message>
        <source>Arrival rate</source>
        <translation>到达速率</translation>
    </message>
    <message>
        <source>Mean arrival rate, in requests/s. At 0 the next request arrives when the previous one finishes.</source>
        <translation>平均到达速率，单位请求/s。为 0 时，前一个请求完成后下一个才到达。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Re-profiles a context on its latest questions when its answers fall below its profile</source>
        <translation>当上下文的回答低于其剖析结果时，用最近的问题重新剖析</translation>
    </message>
    <message>
        <source>arrival rate %1</source>
        <translation>到达速率 %1</translation>
    </message>
    <message>
        <source>re-profile on drift</source>
        <translation>漂移时重新剖析</translation>
    </message>
    <message>
        <source>keep profiles</source>
        <translation>保留剖析结果</translation>
    </message>
    <message>
        <source>assume loss until re-profiled</source>
        <translation>重新剖析前假定损失</translation>
    </message>
    <message>
        <source>keep curves until re-profiled</source>
        <translation>重新剖析前保持曲线</translation>
    </message>
    <message>
        <source>re-profiling: %1 % of busy time</source>
        <translation>重新剖析：%1 % 忙碌时间</translation>
    </message>
</context>
<context>
    <name>kvantage::AskColumnView</name>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>compressing</source>
        <translation>压缩中</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>reading the question</source>
        <translation>读取问题</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>回答中</translation>
    </message>
    <message>
        <source>Method of column %1</source>
        <translation>第 %1 列的方法</translation>
    </message>
    <message>
        <source>Compression method; none is the full KV cache. You can type a composed one, such as adakv(snapkv)+kivi4.</source>
        <translation>压缩方法；none 为完整的 KV 缓存。可以输入组合方法，例如 adakv(snapkv)+kivi4。</translation>
    </message>
    <message>
        <source> % removed</source>
        <translation> % 移除</translation>
    </message>
    <message>
        <source>Removed share of column %1</source>
        <translation>第 %1 列的移除比例</translation>
    </message>
    <message>
        <source>Removed share of the text&apos;s KV entries, in percent</source>
        <translation>移除的文本 KV 条目比例，以百分比表示</translation>
    </message>
    <message>
        <source>Source of column %1</source>
        <translation>第 %1 列的来源</translation>
    </message>
    <message>
        <source>Where the cache comes from when the question is asked: a tier it is read from, or prefill of the text</source>
        <translation>提问时缓存的来源：从某个存储层读取，或对文本进行预填充</translation>
    </message>
    <message>
        <source>Remove column %1</source>
        <translation>移除第 %1 列</translation>
    </message>
    <message>
        <source>Remove this column</source>
        <translation>移除此列</translation>
    </message>
    <message>
        <source>Answer of column %1</source>
        <translation>第 %1 列的答案</translation>
    </message>
    <message>
        <source>Greedy answer. Bold: from where it parts from the answer of the first column.</source>
        <translation>贪心解码的答案。粗体：与第一列的答案开始不同之处。</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>来自 %1</translation>
    </message>
    <message>
        <source>TTFT %1</source>
        <translation>TTFT %1</translation>
    </message>
    <message>
        <source>of it prefill of the text %1</source>
        <translation>其中文本预填充 %1</translation>
    </message>
    <message>
        <source>of it loading %1</source>
        <translation>其中加载 %1</translation>
    </message>
    <message>
        <source>inter-token latency %1</source>
        <translation>token 间延迟 %1</translation>
    </message>
    <message>
        <source>%1, %2 read from %3</source>
        <translation>%1，从 %3 读取 %2</translation>
    </message>
    <message>
        <source>keeps %1 of what the answer attends to</source>
        <translation>保留答案所关注内容的 %1</translation>
    </message>
    <message>
        <source>parts from the first answer at token %1</source>
        <translation>在第 %1 个token处与第一个答案不同</translation>
    </message>
    <message>
        <source>same answer as the first</source>
        <translation>与第一个答案相同</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>… cut at the maximum answer length</source>
        <translation>… 在最大答案长度处截断</translation>
    </message>
    <message>
        <source>of it encoding the cache %1; the rest reused from an earlier question</source>
        <translation>其中缓存编码 %1；其余复用自先前的问题</translation>
    </message>
    <message>
        <source>no prefill of the text: cache reused from an earlier question</source>
        <translation>文本未预填充：复用先前问题的缓存</translation>
    </message>
    <message>
        <source>of it compressing the text %1; its prefill reused from an earlier question</source>
        <translation>其中文本压缩 %1；其预填充复用自先前的问题</translation>
    </message>
    <message>
        <source>TTFT: from the question to the first token, loading or prefill of the text included. A cache that an earlier question computed is reused without them. Inter-token latency: mean time between tokens. Both are of this column alone.</source>
        <translation>TTFT：从提问到第一个 token 的时间，包括加载或文本预填充。先前问题已计算的缓存会直接复用，不含这两者。Token 间延迟：相邻 token 之间的平均时间。两者都只属于本列。</translation>
    </message>
</context>
<context>
    <name>kvantage::AskModel</name>
    <message>
        <source>No engine can be asked in this window. Open a workload to ask about it.</source>
        <translation>此窗口没有可供提问的引擎。请打开一个工作负载再提问。</translation>
    </message>
    <message>
        <source>The model is still loading.</source>
        <translation>模型仍在加载。</translation>
    </message>
    <message>
        <source>Paste or drop a text first.</source>
        <translation>请先粘贴或拖入文本。</translation>
    </message>
    <message>
        <source>Select a text first.</source>
        <translation>请先选择文本。</translation>
    </message>
    <message>
        <source>Type a question first.</source>
        <translation>请先输入问题。</translation>
    </message>
    <message>
        <source>full KV cache</source>
        <translation>完整 KV 缓存</translation>
    </message>
    <message>
        <source>%1, from %2</source>
        <translation>%1，来自 %2</translation>
    </message>
</context>
<context>
    <name>kvantage::AskPage</name>
    <message>
        <source>Ask</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Add column</source>
        <translation>添加列</translation>
    </message>
    <message>
        <source>Send to workload…</source>
        <translation>发送到工作负载…</translation>
    </message>
    <message>
        <source>Open file…</source>
        <translation>打开文件…</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Text to ask about: a context of the workload, or your own</source>
        <translation>要提问的文本：工作负载的上下文，或自己的文本</translation>
    </message>
    <message>
        <source>Read your own text from a file. You can also paste it, or drop the file.</source>
        <translation>从文件读取自己的文本。也可以粘贴文本或拖入文件。</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Ask anything about this text</source>
        <translation>就此文本提出任何问题</translation>
    </message>
    <message>
        <source>Answer the question from every column (Enter)</source>
        <translation>由每一列回答问题（Enter）</translation>
    </message>
    <message>
        <source>Stop answering; what has been answered stays</source>
        <translation>停止回答；已回答的内容保留</translation>
    </message>
    <message>
        <source>Colors of the text</source>
        <translation>文本的颜色</translation>
    </message>
    <message>
        <source>What colors the text: the attention of the answer, or what a column keeps</source>
        <translation>文本的着色依据：答案的注意力，或某列保留的内容</translation>
    </message>
    <message>
        <source>Hover over a token for its numbers; arrow, Home, End and Page keys move between tokens.</source>
        <translation>将鼠标悬停在token上查看其数值；方向键、Home、End 和 Page 键在token之间移动。</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Your own text</source>
        <translation>自己的文本</translation>
    </message>
    <message>
        <source>My text</source>
        <translation>我的文本</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Add another way to keep the text, up to four</source>
        <translation>添加另一种保留文本的方式，最多四种</translation>
    </message>
    <message>
        <source>Write the workload with this question, answered by the first column, into a new folder, to be opened</source>
        <translation>将带有此问题（由第一列回答）的工作负载写入新文件夹，以便打开</translation>
    </message>
    <message>
        <source>State of the question</source>
        <translation>问题的状态</translation>
    </message>
    <message>
        <source>Open your own text</source>
        <translation>打开自己的文本</translation>
    </message>
    <message>
        <source>Texts (*.txt *.md)</source>
        <translation>文本 (*.txt *.md)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Attention of the answer</source>
        <translation>答案的注意力</translation>
    </message>
    <message>
        <source>Kept by column %1: %2</source>
        <translation>第 %1 列保留：%2</translation>
    </message>
    <message>
        <source>what the answer attends to most</source>
        <translation>答案最关注的内容</translation>
    </message>
    <message>
        <source>less</source>
        <translation>较少</translation>
    </message>
    <message>
        <source>kept in every layer and KV head</source>
        <translation>在每一层和每个 KV 头中保留</translation>
    </message>
    <message>
        <source>Answering…</source>
        <translation>正在回答…</translation>
    </message>
    <message>
        <source>token %1 “%2”</source>
        <translation>token %1 “%2”</translation>
    </message>
    <message>
        <source>attention %1</source>
        <translation>注意力 %1</translation>
    </message>
    <message>
        <source>column %1 keeps it in %2</source>
        <translation>第 %1 列在 %2 中保留它</translation>
    </message>
    <message>
        <source>Folder for the workload with this question</source>
        <translation>带有此问题的工作负载的文件夹</translation>
    </message>
    <message>
        <source>Question to answer from every column; Enter asks it</source>
        <translation>由每一列回答的问题；按 Enter 提问</translation>
    </message>
    <message>
        <source>The text that is asked about; paste it, or drop a text file</source>
        <translation>要提问的文本；粘贴文本，或拖入文本文件</translation>
    </message>
    <message>
        <source>The workload with this question is in %1.</source>
        <translation>带有此问题的工作负载位于 %1。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Stop this run and serve that workload</source>
        <translation>停止此次运行并服务该工作负载</translation>
    </message>
    <message>
        <source>struck out: evicted in every head</source>
        <translation>删除线：在所有头中都被驱逐</translation>
    </message>
    <message>
        <source>Answered. Compute time: %1, between the session&apos;s requests.</source>
        <translation>已回答。计算时间：%1，在会话的请求之间。</translation>
    </message>
</context>
<context>
    <name>kvantage::Banner</name>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Message from KVantage; the text can be selected and copied</source>
        <translation>来自 KVantage 的消息；文本可选择和复制</translation>
    </message>
    <message>
        <source>Dismiss message</source>
        <translation>关闭消息</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>Dismiss and show the next message (%n more)</source>
        <translation>
            <numerusform>关闭并显示下一条消息（还有 %n 条）</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::CandidateControls</name>
    <message>
        <source>Methods</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Method %1</source>
        <translation>方法 %1</translation>
    </message>
    <message>
        <source>Uncompressed; always a candidate</source>
        <translation>未压缩；始终是候选</translation>
    </message>
    <message>
        <source>The policy may compress with %1</source>
        <translation>策略可使用 %1 压缩</translation>
    </message>
    <message>
        <source>Removed fraction %1</source>
        <translation>移除比例 %1</translation>
    </message>
    <message>
        <source>The policy may remove %1 of a context&apos;s KV entries</source>
        <translation>策略可移除上下文 %1 的 KV 条目</translation>
    </message>
    <message>
        <source>Add a method</source>
        <translation>添加方法</translation>
    </message>
    <message>
        <source>A method for the policy to choose, alone or combined:
snapkv, kivi4, adakv(snapkv)+kivi4. Its quality is measured first. Enter adds it.</source>
        <translation>策略可选用的方法，可单独使用或组合使用：
snapkv、kivi4、adakv(snapkv)+kivi4。会先测量其质量。按 Enter 键添加。</translation>
    </message>
    <message>
        <source>Add a fraction, e.g. 30 %</source>
        <translation>添加比例，例如 30 %</translation>
    </message>
    <message>
        <source>Add a removed fraction</source>
        <translation>添加移除比例</translation>
    </message>
    <message>
        <source>A share of a context&apos;s KV entries that the policy may remove. Enter adds it.</source>
        <translation>策略可移除的上下文 KV 条目的比例。按 Enter 键添加。</translation>
    </message>
    <message>
        <source>A removed fraction is more than 0 % and less than 100 %, e.g. 30 %.</source>
        <translation>移除比例须大于 0 % 且小于 100 %，例如 30 %。</translation>
    </message>
</context>
<context>
    <name>kvantage::CdfChart</name>
    <message>
        <source>Sensitivity by family</source>
        <translation>各族的敏感度</translation>
    </message>
    <message>
        <source>Relative quality drop</source>
        <translation>相对质量下降</translation>
    </message>
    <message>
        <source>Share of contexts</source>
        <translation>上下文占比</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n context(s), median drop %2, coefficient of variation %3</source>
        <translation>
            <numerusform>%1：%n 个上下文，中位下降 %2，变异系数 %3</numerusform>
        </translation>
    </message>
    <message>
        <source>Ring: the selected context on its family&apos;s curve. Esc clears the selection.</source>
        <translation>圆环：所选上下文在其族曲线上的位置。按 Esc 清除选择。</translation>
    </message>
    <message>
        <source>%1: drop %2</source>
        <translation>%1：下降 %2</translation>
    </message>
    <message>
        <source>%1: no drop known</source>
        <translation>%1：下降未知</translation>
    </message>
    <message>
        <source>%1 (%2), %3, %4 removed: drop %5
%6 of the %2 contexts drop by this much or less
Click to select %1</source>
        <translation>%1（%2），%3，移除 %4：下降 %5
%2 中 %6 的上下文下降不超过此值
点击选择 %1</translation>
    </message>
    <message>
        <source>No profile yet. Quality is being profiled in the background.</source>
        <translation>尚无剖析结果。质量正在后台剖析。</translation>
    </message>
    <message>
        <source>No context is profiled for this method and removed fraction.</source>
        <translation>此方法和移除比例下没有已剖析的上下文。</translation>
    </message>
</context>
<context>
    <name>kvantage::ChartBrush</name>
    <message>
        <source>Se&amp;lect points</source>
        <translation>选择点(&amp;L)</translation>
    </message>
    <message>
        <source>Drag over points of %1 to select them; Ctrl+Shift and drag does so at any time</source>
        <translation>在 %1 的点上拖动以选择它们；随时可用 Ctrl+Shift 加拖动</translation>
    </message>
    <message>
        <source>Ctrl+Shift and drag selects points; Space adds the one at the keys.</source>
        <translation>Ctrl+Shift 加拖动选择点；空格键添加键盘所在的点。</translation>
    </message>
</context>
<context>
    <name>kvantage::ChartHandle</name>
    <message>
        <source>Data of %1; units are in the header</source>
        <translation>%1 的数据；单位见表头</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>保存表格</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>导出 %1</translation>
    </message>
    <message>
        <source>Show as &amp;table</source>
        <translation>以表格显示(&amp;T)</translation>
    </message>
    <message>
        <source>Show the data of %1 as a table</source>
        <translation>以表格显示 %1 的数据</translation>
    </message>
    <message>
        <source>Export &amp;PNG…</source>
        <translation>导出 &amp;PNG…</translation>
    </message>
    <message>
        <source>Export %1 as a raster image</source>
        <translation>将 %1 导出为位图</translation>
    </message>
    <message>
        <source>Export &amp;SVG…</source>
        <translation>导出 &amp;SVG…</translation>
    </message>
    <message>
        <source>Export %1 as a vector image</source>
        <translation>将 %1 导出为矢量图</translation>
    </message>
    <message>
        <source>Export P&amp;DF…</source>
        <translation>导出 P&amp;DF…</translation>
    </message>
    <message>
        <source>Export %1 as a one-page document</source>
        <translation>将 %1 导出为单页文档</translation>
    </message>
    <message>
        <source>Export &amp;CSV…</source>
        <translation>导出 &amp;CSV…</translation>
    </message>
    <message>
        <source>Export the data of %1 as CSV</source>
        <translation>将 %1 的数据导出为 CSV</translation>
    </message>
    <message>
        <source>Export &amp;LaTeX…</source>
        <translation>导出 &amp;LaTeX…</translation>
    </message>
    <message>
        <source>Export the data of %1 as LaTeX tables</source>
        <translation>将 %1 的数据导出为 LaTeX 表格</translation>
    </message>
    <message>
        <source>Export picture, &amp;1 column (%1 mm)…</source>
        <translation>导出插图，单栏（%1 mm）(&amp;1)…</translation>
    </message>
    <message>
        <source>Export picture, &amp;2 columns (%1 mm)…</source>
        <translation>导出插图，双栏（%1 mm）(&amp;2)…</translation>
    </message>
    <message>
        <source>Export %1 for a paper, as PDF, SVG or PNG</source>
        <translation>将 %1 导出为论文插图（PDF、SVG 或 PNG）</translation>
    </message>
    <message>
        <source>Pictures (*.pdf *.svg *.png)</source>
        <translation>图片 (*.pdf *.svg *.png)</translation>
    </message>
    <message>
        <source>Copy &amp;image</source>
        <translation>复制图像(&amp;I)</translation>
    </message>
    <message>
        <source>Copy %1 as a raster image</source>
        <translation>将 %1 复制为位图</translation>
    </message>
    <message>
        <source>Copy S&amp;VG</source>
        <translation>复制 SVG(&amp;V)</translation>
    </message>
    <message>
        <source>Copy %1 as a vector image</source>
        <translation>将 %1 复制为矢量图</translation>
    </message>
    <message>
        <source>Cop&amp;y CSV</source>
        <translation>复制 CSV(&amp;Y)</translation>
    </message>
    <message>
        <source>Copy the data of %1 as CSV</source>
        <translation>将 %1 的数据复制为 CSV</translation>
    </message>
    <message>
        <source>Copy p&amp;gfplots</source>
        <translation>复制 pgfplots(&amp;G)</translation>
    </message>
    <message>
        <source>Copy the data of %1 as a tikzpicture; the document must load pgfplots</source>
        <translation>将 %1 的数据复制为 tikzpicture；文档必须加载 pgfplots</translation>
    </message>
    <message>
        <source>Copy &amp;matplotlib</source>
        <translation>复制 matplotlib(&amp;M)</translation>
    </message>
    <message>
        <source>Copy a Python script that draws the data of %1</source>
        <translation>复制绘制 %1 数据的 Python 脚本</translation>
    </message>
    <message>
        <source>Export picture, choose &amp;font…</source>
        <translation>导出插图，选择字体(&amp;F)…</translation>
    </message>
    <message>
        <source>Export %1 for a paper, with a width, a font and a text size of your choice</source>
        <translation>导出用于论文的%1，宽度、字体和字号由你选择</translation>
    </message>
</context>
<context>
    <name>kvantage::ChartPanel</name>
    <message>
        <source>%1. Right-click or press the menu key for the table and export.</source>
        <translation>%1。右键单击或按菜单键可查看表格和导出。</translation>
    </message>
</context>
<context>
    <name>kvantage::ChartZoom</name>
    <message>
        <source>Reset zoom</source>
        <translation>重置缩放</translation>
    </message>
    <message>
        <source>Show all data (0, or double-click)</source>
        <translation>显示全部数据（0 或双击）</translation>
    </message>
    <message>
        <source>Reset zoom of %1</source>
        <translation>重置 %1 的缩放</translation>
    </message>
    <message>
        <source>Zoom with the wheel, + or -, or Shift and drag. Pan with the middle button, Ctrl and drag, or Ctrl and arrow keys. 0 or a double-click shows all.</source>
        <translation>用滚轮、+ 或 -，或按住 Shift 拖动来缩放。用中键、按住 Ctrl 拖动或 Ctrl 加方向键来平移。按 0 或双击显示全部。</translation>
    </message>
    <message>
        <source>&amp;Hold axes</source>
        <translation>固定坐标轴(&amp;H)</translation>
    </message>
    <message>
        <source>Keep the axes of %1 still while data comes in</source>
        <translation>数据更新时保持 %1 的坐标轴不动</translation>
    </message>
    <message>
        <source>Reset &amp;zoom</source>
        <translation>重置缩放(&amp;Z)</translation>
    </message>
    <message>
        <source>Show all data of %1</source>
        <translation>显示 %1 的全部数据</translation>
    </message>
    <message>
        <source>horizontal axis %1 to %2</source>
        <translation>横轴 %1 至 %2</translation>
    </message>
    <message>
        <source>vertical axis %1 to %2</source>
        <translation>纵轴 %1 至 %2</translation>
    </message>
    <message>
        <source>zoomed: %1; 0 shows all</source>
        <translation>已缩放：%1；按 0 显示全部</translation>
    </message>
    <message>
        <source>zoomed: %1; 0 resets</source>
        <translation>已缩放：%1；按 0 重置</translation>
    </message>
</context>
<context>
    <name>kvantage::ChartsExport</name>
    <message>
        <source>%1 cannot be created. Choose another folder.</source>
        <translation>无法创建 %1。请选择其他文件夹。</translation>
    </message>
    <message numerus="yes">
        <source>Export canceled; %1 of %n file(s) saved in %2</source>
        <translation>
            <numerusform>导出已取消；%n 个文件中的 %1 个已保存到 %2</numerusform>
        </translation>
    </message>
    <message>
        <source>Saved %1 charts and tables as %2 files in %3</source>
        <translation>已将 %1 个图表和表格保存为 %2 个文件，位于 %3</translation>
    </message>
    <message numerus="yes">
        <source>%1; skipped %n without data</source>
        <translation>
            <numerusform>%1；跳过 %n 个没有数据的项</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 cannot be written. Choose a writable folder with free disk space.</source>
        <translation>无法写入 %1。请选择可写且有剩余空间的文件夹。</translation>
    </message>
    <message>
        <source>Export all charts into a folder</source>
        <translation>将所有图表导出到文件夹</translation>
    </message>
    <message>
        <source>Saving charts</source>
        <translation>正在保存图表</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Export all charts</source>
        <translation>导出所有图表</translation>
    </message>
    <message>
        <source>Saving %1, file %2 of %3</source>
        <translation>正在保存 %1，文件 %2 / %3</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>Stop; files that were written stay (Esc)</source>
        <translation>停止；已写入的文件会保留（Esc）</translation>
    </message>
</context>
<context>
    <name>kvantage::ClaimsModel</name>
    <message>
        <source>out of scope: %1</source>
        <translation>不在范围内：%1</translation>
    </message>
    <message>
        <source>not reproduced yet</source>
        <translation>尚未复现</translation>
    </message>
    <message>
        <source>What the paper reports</source>
        <translation>论文所报告的内容</translation>
    </message>
    <message>
        <source>Claim</source>
        <translation>论断</translation>
    </message>
    <message>
        <source>Number or span in the paper, and its unit</source>
        <translation>论文中的数值或范围及其单位</translation>
    </message>
    <message>
        <source>Paper</source>
        <translation>论文</translation>
    </message>
    <message>
        <source>Measured on this machine, from the newest result of the figure</source>
        <translation>在本机实测，取自该图表的最新结果</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>95 % interval of the number here</source>
        <translation>本机数值的 95 % 区间</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>Whether our interval lies within the paper&apos;s span</source>
        <translation>我们的区间是否在论文的范围内</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Figure that measures it; double-click to open it</source>
        <translation>测量它的图表；双击打开</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>图表</translation>
    </message>
</context>
<context>
    <name>kvantage::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Type a few letters of a command or control</source>
        <translation>输入命令或控件的几个字母</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Search commands and controls. Arrow keys select, Enter runs, Esc closes.</source>
        <translation>搜索命令和控件。方向键选择，Enter 执行，Esc 关闭。</translation>
    </message>
    <message>
        <source>Matching commands</source>
        <translation>匹配的命令</translation>
    </message>
    <message>
        <source>No matching command.</source>
        <translation>没有匹配的命令。</translation>
    </message>
    <message>
        <source>Not available now.</source>
        <translation>当前不可用。</translation>
    </message>
</context>
<context>
    <name>kvantage::CompactionPassesModel</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Freed</source>
        <translation>释放</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>When the pass ended, in s since the start</source>
        <translation>压实结束的时间，自开始起的秒数</translation>
    </message>
    <message>
        <source>Request whose KV cache was compacted</source>
        <translation>KV 缓存被压实的请求</translation>
    </message>
    <message>
        <source>Context of the request</source>
        <translation>请求的上下文</translation>
    </message>
    <message>
        <source>Tokens of the answer decoded before the pass</source>
        <translation>压实之前已解码的回答 token 数</translation>
    </message>
    <message>
        <source>Blocks that the pass freed</source>
        <translation>本次压实释放的块</translation>
    </message>
    <message>
        <source>KV entries that the pass moved</source>
        <translation>本次压实移动的 KV 条目</translation>
    </message>
    <message>
        <source>Time of planning and moving</source>
        <translation>规划和移动的用时</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>用时</translation>
    </message>
</context>
<context>
    <name>kvantage::CompareChart</name>
    <message>
        <source>TTFT versus quality of the compared runs</source>
        <translation>所比较运行的 TTFT 与质量</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Means with 95 % intervals, %1</source>
        <translation>平均值与 95 % 区间，%1</translation>
    </message>
    <message>
        <source>%1
TTFT %2 ms, quality %3 (%4)
Click to open the run</source>
        <translation>%1
TTFT %2 ms，质量 %3（%4）
点击打开该运行</translation>
    </message>
    <message>
        <source>None of these runs has both a TTFT and a scored answer.</source>
        <translation>这些运行都没有同时具备 TTFT 和评分的回答。</translation>
    </message>
    <message>
        <source>TTFT (ms)</source>
        <translation>TTFT（ms）</translation>
    </message>
</context>
<context>
    <name>kvantage::ComparePage</name>
    <message>
        <source>Split by setting changes</source>
        <translation>按设置变化拆分</translation>
    </message>
    <message>
        <source>← Runs</source>
        <translation>← 运行</translation>
    </message>
    <message>
        <source>Back to the list of runs</source>
        <translation>返回运行列表</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the comparison as tab-separated text</source>
        <translation>将比较复制为制表符分隔的文本</translation>
    </message>
    <message>
        <source>Save the comparison as CSV in full precision</source>
        <translation>将比较以全精度保存为 CSV</translation>
    </message>
    <message>
        <source>Save the comparison as LaTeX tables</source>
        <translation>将比较保存为 LaTeX 表格</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>Write a report on these runs and their differences from the baseline: HTML, PDF, CSV, JSON and LaTeX</source>
        <translation>生成这些运行及其与基线差异的报告：HTML、PDF、CSV、JSON 和 LaTeX</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>Run that the others are compared with</source>
        <translation>其他运行与之比较的运行</translation>
    </message>
    <message>
        <source>One column for each period of a run with constant settings</source>
        <translation>运行中设置不变的每个时段为一列</translation>
    </message>
    <message>
        <source>Comparison copied to the clipboard</source>
        <translation>比较已复制到剪贴板</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>正在比较……</translation>
    </message>
    <message numerus="yes">
        <source>Settings changed during these runs. Shows one column for each period with constant settings: %n column(s).</source>
        <translation>
            <numerusform>这些运行期间设置有变化。设置不变的每个时段为一列：共 %n 列。</numerusform>
        </translation>
    </message>
    <message>
        <source>Setting changes split these runs into %1 periods; at most %2 can be compared. Select fewer runs to split them.</source>
        <translation>设置变化把这些运行拆成 %1 个时段；最多可比较 %2 个。请选择较少的运行再拆分。</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n 个运行</numerusform>
        </translation>
    </message>
    <message>
        <source>Save comparison</source>
        <translation>保存比较</translation>
    </message>
    <message>
        <source>Comparison saved: %1</source>
        <translation>比较已保存：%1</translation>
    </message>
    <message>
        <source>Write a report on these runs and their differences from the baseline: HTML, PDF, CSV, JSON, LaTeX and Parquet</source>
        <translation>为这些运行及其与基线的差异生成报告：HTML、PDF、CSV、JSON、LaTeX 和 Parquet</translation>
    </message>
    <message>
        <source>Plot all runs</source>
        <translation>绘制所有运行</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Save the comparison as CSV, LaTeX or pgfplots</source>
        <translation>将比较保存为 CSV、LaTeX 或 pgfplots</translation>
    </message>
    <message>
        <source>&amp;CSV…</source>
        <translation>&amp;CSV…</translation>
    </message>
    <message>
        <source>&amp;LaTeX, all runs…</source>
        <translation>LaTeX，所有运行(&amp;L)…</translation>
    </message>
    <message>
        <source>LaTeX for &amp;booktabs, two runs…</source>
        <translation>LaTeX（booktabs），两个运行(&amp;B)…</translation>
    </message>
    <message>
        <source>Save the two runs as a table; the document must load booktabs</source>
        <translation>将两个运行保存为表格；文档须加载 booktabs</translation>
    </message>
    <message>
        <source>pgfplots of the &amp;forest plot…</source>
        <translation>森林图的 pgfplots(&amp;F)…</translation>
    </message>
    <message>
        <source>Save the differences as a tikzpicture; the document must load pgfplots</source>
        <translation>将差异保存为 tikzpicture；文档须加载 pgfplots</translation>
    </message>
    <message>
        <source>pgfplots of the c&amp;ontexts…</source>
        <translation>上下文的 pgfplots(&amp;O)…</translation>
    </message>
    <message>
        <source>Save the metric by context as a tikzpicture; the document must load pgfplots</source>
        <translation>将按上下文的指标保存为 tikzpicture；文档须加载 pgfplots</translation>
    </message>
    <message>
        <source>Compared run</source>
        <translation>比较的运行</translation>
    </message>
    <message>
        <source>Run whose differences from the baseline are shown</source>
        <translation>显示其与基线差异的运行</translation>
    </message>
    <message>
        <source>All runs in one plot, each in the color of its policy with its letter; up to %1 runs</source>
        <translation>所有运行在一个图中，各用其策略的颜色和字母；最多 %1 个运行</translation>
    </message>
    <message>
        <source>Details of the comparison</source>
        <translation>比较的详情</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings of the two runs that differ</source>
        <translation>两个运行不同的设置</translation>
    </message>
    <message>
        <source>Contexts</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>One metric by context, the baseline against the other run</source>
        <translation>按上下文的一个指标，基线与另一运行对比</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>TTFT against quality of all compared runs</source>
        <translation>所有比较的运行的 TTFT 与质量</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Every value of all compared runs, with intervals and n</source>
        <translation>所有比较的运行的每个值，含区间与 n</translation>
    </message>
    <message>
        <source>Summary copied to the clipboard</source>
        <translation>摘要已复制到剪贴板</translation>
    </message>
    <message>
        <source>Summary (%1)</source>
        <translation>摘要（%1）</translation>
    </message>
    <message>
        <source>The comparison in sentences, with cautions</source>
        <translation>以句子表述的比较，以及注意事项</translation>
    </message>
</context>
<context>
    <name>kvantage::ContextScatter</name>
    <message>
        <source>Contexts of the compared runs</source>
        <translation>所比较运行的上下文</translation>
    </message>
    <message>
        <source>a context</source>
        <translation>一个上下文</translation>
    </message>
    <message>
        <source>Value of each run over its answers about the context, %1</source>
        <translation>各运行对该上下文的回答的值，%1</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>相等</translation>
    </message>
    <message>
        <source>On this line both runs have the same value</source>
        <translation>在此线上两个运行的值相同</translation>
    </message>
    <message>
        <source>%1
%2: %3 (n = %4)
%5: %6 (n = %7)
Click to select the context</source>
        <translation>%1
%2：%3（n = %4）
%5：%6（n = %7）
单击以选择该上下文</translation>
    </message>
    <message>
        <source>This metric has one value per run. Choose another metric.</source>
        <translation>此指标每个运行只有一个值。请选择其他指标。</translation>
    </message>
    <message>
        <source>No context was asked about in both runs.</source>
        <translation>没有两个运行都问到的上下文。</translation>
    </message>
</context>
<context>
    <name>kvantage::ContextsDock</name>
    <message>
        <source>Filter by context, family, tier, method or reason</source>
        <translation>按上下文、族、层级、方法或原因筛选</translation>
    </message>
    <message>
        <source>Filter contexts</source>
        <translation>筛选上下文</translation>
    </message>
    <message>
        <source>Show only rows that contain this text in any column</source>
        <translation>仅显示任一列中包含该文本的行</translation>
    </message>
    <message>
        <source>italic: predicted</source>
        <translation>斜体：预测</translation>
    </message>
    <message>
        <source>Values in italics are predicted from profiles and fitted costs; upright values are measured</source>
        <translation>斜体值由剖析结果和拟合开销预测；正体值为实测</translation>
    </message>
    <message>
        <source>Contexts</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>One row per context. Selecting one highlights it in every view; Esc clears the selection.</source>
        <translation>每行一个上下文。选中后会在所有视图中高亮；按 Esc 清除选择。</translation>
    </message>
    <message>
        <source>No contexts yet. They appear as soon as the workload is loaded.</source>
        <translation>尚无上下文。工作负载加载后即会列出。</translation>
    </message>
    <message>
        <source>No context matches the filter. Clear the filter to see all.</source>
        <translation>没有匹配筛选条件的上下文。清除筛选可查看全部。</translation>
    </message>
</context>
<context>
    <name>kvantage::ContextsModel</name>
    <message>
        <source>no request served in this placement yet</source>
        <translation>此放置下尚未处理请求</translation>
    </message>
    <message>
        <source>95 % interval %1 to %2, n = %3</source>
        <translation>95 % 区间 %1 至 %2，n = %3</translation>
    </message>
    <message>
        <source>%1; 95 % interval %2 to %3, n = %4</source>
        <translation>%1；95 % 区间 %2 至 %3，n = %4</translation>
    </message>
    <message>
        <source>%1 uncompressed</source>
        <translation>未压缩时 %1</translation>
    </message>
    <message>
        <source>assumed: no measured profile point for this configuration yet</source>
        <translation>假定值：此配置尚无实测剖析点</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>族</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token 数</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>已存储</translation>
    </message>
    <message>
        <source>Tier</source>
        <translation>层级</translation>
    </message>
    <message>
        <source>Method, removed</source>
        <translation>方法，移除</translation>
    </message>
    <message>
        <source>Frequency</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>Quality predicted</source>
        <translation>预测质量</translation>
    </message>
    <message>
        <source>Quality measured (n)</source>
        <translation>实测质量 (n)</translation>
    </message>
    <message>
        <source>TTFT predicted</source>
        <translation>预测 TTFT</translation>
    </message>
    <message>
        <source>TTFT measured (n)</source>
        <translation>实测 TTFT (n)</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Context of the workload</source>
        <translation>工作负载的上下文</translation>
    </message>
    <message>
        <source>Text family</source>
        <translation>文本族</translation>
    </message>
    <message>
        <source>Length of the context, in tokens</source>
        <translation>上下文长度，单位 token</translation>
    </message>
    <message>
        <source>Size of the stored cache, headers included</source>
        <translation>存储的缓存大小，含头部</translation>
    </message>
    <message>
        <source>Tier that holds the cache</source>
        <translation>保存该缓存的层级</translation>
    </message>
    <message>
        <source>Compression method and removed share of KV entries</source>
        <translation>压缩方法和移除的 KV 条目比例</translation>
    </message>
    <message>
        <source>Decayed number of requests; weights utility</source>
        <translation>经衰减的请求数；用于加权效用</translation>
    </message>
    <message>
        <source>Predicted from the quality profile of this configuration, 0 to 1</source>
        <translation>由该配置的质量剖析预测，0 到 1</translation>
    </message>
    <message>
        <source>Measured mean over n requests served in this placement, 0 to 1</source>
        <translation>此放置下 n 个请求的实测平均值，0 到 1</translation>
    </message>
    <message>
        <source>Predicted from fitted costs, without queueing</source>
        <translation>由拟合开销预测，不含排队</translation>
    </message>
    <message>
        <source>Measured (or throttled) mean over n requests served in this placement, without queueing</source>
        <translation>此放置下 n 个请求的实测（或限速）平均值，不含排队</translation>
    </message>
    <message>
        <source>Reason for the last action: its utility drop and the runner-up</source>
        <translation>上次动作的原因：其效用损失及次优动作</translation>
    </message>
</context>
<context>
    <name>kvantage::ContextsPage</name>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Metric by context</source>
        <translation>按上下文的指标</translation>
    </message>
    <message>
        <source>Metric whose values by context are shown; Enter in the plot at the left chooses it, too</source>
        <translation>按上下文显示其值的指标；在左侧的图中按 Enter 键也可选择</translation>
    </message>
</context>
<context>
    <name>kvantage::ControlsDock</name>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Placement and compression policy</source>
        <translation>放置与压缩策略</translation>
    </message>
    <message>
        <source>α: value of quality (s)</source>
        <translation>α：质量的价值（s）</translation>
    </message>
    <message>
        <source>α: seconds of TTFT that an answer of quality 1 is worth, in s.
utility = (α × quality − TTFT) × request frequency
The range is derived from the current profiles.</source>
        <translation>α：质量为 1 的回答值多少秒 TTFT，单位 s。
效用 = (α × 质量 − TTFT) × 请求频率
范围由当前剖析结果得出。</translation>
    </message>
    <message>
        <source>Faster</source>
        <translation>更快</translation>
    </message>
    <message>
        <source>Better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>Predicted means over all contexts in the steady state, weighted by request frequency.
Optimality gap: distance of the plan from the LP bound (the linear relaxation of the knapsack over all
tiers), in percent of the utility gained by storing.</source>
        <translation>稳态下所有上下文的预测平均值，按请求频率加权。
最优性间隙：方案与 LP 界（跨全部层级的背包问题的线性松弛）之间的距离，
以存储所得效用的百分比表示。</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>候选</translation>
    </message>
    <message>
        <source>policy %1</source>
        <translation>策略 %1</translation>
    </message>
    <message>
        <source>Controls</source>
        <translation>控制</translation>
    </message>
    <message>
        <source>%1 budget %2</source>
        <translation>%1 预算 %2</translation>
    </message>
    <message>
        <source>%1 faults: %2</source>
        <translation>%1 故障：%2</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 throttled to %2</source>
        <translation>%1 限速至 %2</translation>
    </message>
    <message>
        <source>%1 at full speed</source>
        <translation>%1 全速</translation>
    </message>
    <message>
        <source>candidate methods</source>
        <translation>候选方法</translation>
    </message>
    <message>
        <source>candidate removed fractions</source>
        <translation>候选移除比例</translation>
    </message>
    <message>
        <source>α has no effect on %1.</source>
        <translation>α 对 %1 没有影响。</translation>
    </message>
    <message>
        <source>No quality profile yet, so no prediction.</source>
        <translation>尚无质量剖析，因此没有预测。</translation>
    </message>
    <message>
        <source>Predicted: quality %1, TTFT %2</source>
        <translation>预测：质量 %1，TTFT %2</translation>
    </message>
    <message>
        <source>Optimality gap not known yet</source>
        <translation>最优性间隙尚未知</translation>
    </message>
    <message>
        <source>Optimality gap ≤ %1 %</source>
        <translation>最优性间隙 ≤ %1 %</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>decode eviction: %1</source>
        <translation>解码时驱逐：%1</translation>
    </message>
    <message>
        <source>decode options</source>
        <translation>解码选项</translation>
    </message>
    <message>
        <source>Predicted without decode eviction</source>
        <translation>预测不含解码时驱逐</translation>
    </message>
    <message>
        <source>decode offload: %1</source>
        <translation>解码卸载：%1</translation>
    </message>
    <message>
        <source>candidate method %1</source>
        <translation>候选方法 %1</translation>
    </message>
    <message>
        <source>candidate removed fraction %1</source>
        <translation>候选移除比例 %1</translation>
    </message>
    <message>
        <source>α %1</source>
        <translation>α %1</translation>
    </message>
    <message>
        <source>Predicted without decode offload</source>
        <translation>预测不含解码卸载</translation>
    </message>
    <message>
        <source>formula %1</source>
        <translation>公式 %1</translation>
    </message>
</context>
<context>
    <name>kvantage::CounterfactualModel</name>
    <message>
        <source>unlimited</source>
        <translation>无限制</translation>
    </message>
    <message>
        <source>It is chosen at α ≥ %1 s (now %2 s).</source>
        <translation>当 α ≥ %1 s 时选用它（现为 %2 s）。</translation>
    </message>
    <message>
        <source>It is chosen at α ≤ %1 s (now %2 s).</source>
        <translation>当 α ≤ %1 s 时选用它（现为 %2 s）。</translation>
    </message>
    <message>
        <source>It is chosen with a %1 budget ≥ %2 (now %3).</source>
        <translation>当 %1 预算 ≥ %2 时选用它（现为 %3）。</translation>
    </message>
    <message>
        <source>It is chosen with a %1 budget ≤ %2 (now %3).</source>
        <translation>当 %1 预算 ≤ %2 时选用它（现为 %3）。</translation>
    </message>
    <message>
        <source>It is chosen at a request frequency ≥ %1 (now %2).</source>
        <translation>当请求频率 ≥ %1 时选用它（现为 %2）。</translation>
    </message>
    <message>
        <source>It is chosen at a request frequency ≤ %1 (now %2).</source>
        <translation>当请求频率 ≤ %1 时选用它（现为 %2）。</translation>
    </message>
    <message>
        <source>%1: what would have to change</source>
        <translation>%1：需要什么改变</translation>
    </message>
    <message>
        <source>It would displace no other context.</source>
        <translation>它不会挤走其他上下文。</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 以及另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>It would displace %1: others change by %2 s of utility.</source>
        <translation>它会挤走 %1：其他上下文的效用变化 %2 s。</translation>
    </message>
    <message>
        <source>This is the plan&apos;s choice. The list below says what would change it.</source>
        <translation>这是方案的选择。下面的列表说明什么会改变它。</translation>
    </message>
    <message>
        <source>Its entry, %1, is larger than the budget of %2, %3.</source>
        <translation>其条目 %1 大于 %2 的预算 %3。</translation>
    </message>
    <message>
        <source>Its policy does not weigh utility.</source>
        <translation>其策略不权衡效用。</translation>
    </message>
    <message>
        <source>Searching by planning again…</source>
        <translation>正在重新规划搜索……</translation>
    </message>
    <message>
        <source>No change of α, of one budget or of its request frequency alone makes the policy choose it.</source>
        <translation>单独改变 α、某个预算或其请求频率，都不会使策略选用它。</translation>
    </message>
    <message>
        <source>Ignoring other contexts, it is better: %1 s more utility.</source>
        <translation>不考虑其他上下文时更好：效用多 %1 s。</translation>
    </message>
    <message>
        <source>Ignoring other contexts, it is no better at any α: %1 s less utility.</source>
        <translation>不考虑其他上下文时，任何 α 下都不更好：效用少 %1 s。</translation>
    </message>
    <message>
        <source>Ignoring other contexts, it is better at α &gt; %1 s (now %2 s); it has %3 s less utility.</source>
        <translation>不考虑其他上下文时，当 α &gt; %1 s 时更好（现为 %2 s）；效用少 %3 s。</translation>
    </message>
    <message>
        <source>Ignoring other contexts, it is better at α &lt; %1 s (now %2 s); it has %3 s less utility.</source>
        <translation>不考虑其他上下文时，当 α &lt; %1 s 时更好（现为 %2 s）；效用少 %3 s。</translation>
    </message>
    <message>
        <source>It would displace %1: others change by %2 of the formula&apos;s value.</source>
        <translation>它会挤走 %1：其他上下文的公式值变化 %2。</translation>
    </message>
    <message>
        <source>Ignoring other contexts, it is better: %1 more by the formula.</source>
        <translation>不计其他上下文，它更好：按公式多 %1。</translation>
    </message>
    <message>
        <source>Ignoring other contexts, it is no better: %1 less by the formula.</source>
        <translation>不计其他上下文，它并不更好：按公式少 %1。</translation>
    </message>
</context>
<context>
    <name>kvantage::DecisionModel</name>
    <message>
        <source>the plan&apos;s choice</source>
        <translation>方案的选择</translation>
    </message>
    <message>
        <source>runner-up; Why here? explains why it was not chosen</source>
        <translation>次优；“为何在此？”解释了未选它的原因</translation>
    </message>
    <message>
        <source>dominated: another configuration on this tier has at least the same utility and is no larger</source>
        <translation>被支配：该层级上另一配置的效用不低于它，且不更大</translation>
    </message>
    <message>
        <source>quality assumed: no profile point for this configuration yet</source>
        <translation>质量为假定值：此配置尚无剖析点</translation>
    </message>
    <message>
        <source>Tier</source>
        <translation>层级</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Drop</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Utility</source>
        <translation>效用</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Tier of the cache; not stored: the context is prefilled on each request</source>
        <translation>缓存所在层级；未存储：每次请求都预填充该上下文</translation>
    </message>
    <message>
        <source>Compression method and removed share of KV entries</source>
        <translation>压缩方法和移除的 KV 条目比例</translation>
    </message>
    <message>
        <source>Utility lost relative to the plan&apos;s choice, in s. Below 0: the context alone would gain.</source>
        <translation>相对于方案选择的效用损失，单位 s。小于 0：该上下文单独会获益。</translation>
    </message>
    <message>
        <source>(α × quality − TTFT) × request frequency, in s</source>
        <translation>(α × 质量 − TTFT) × 请求频率，单位 s</translation>
    </message>
    <message>
        <source>Predicted from the context&apos;s profile, 0 to 1</source>
        <translation>由该上下文的剖析预测，0 到 1</translation>
    </message>
    <message>
        <source>Predicted TTFT, without queueing</source>
        <translation>预测 TTFT，不含排队</translation>
    </message>
    <message>
        <source>Size of the cache, headers included</source>
        <translation>缓存大小，含头部</translation>
    </message>
</context>
<context>
    <name>kvantage::DecisionPage</name>
    <message>
        <source>Select a context in the table to see every other way to store it.</source>
        <translation>在表格中选择一个上下文，查看存储它的所有其他方式。</translation>
    </message>
    <message>
        <source>All configurations</source>
        <translation>所有配置</translation>
    </message>
    <message>
        <source>Why here?</source>
        <translation>为何在此？</translation>
    </message>
    <message>
        <source>Why the selected context is placed here</source>
        <translation>所选上下文放置在此的原因</translation>
    </message>
    <message>
        <source>Predicted from profiles and fitted costs; utility = (α × quality − TTFT) × request frequency, in s</source>
        <translation>由剖析结果和拟合开销预测；效用 = (α × 质量 − TTFT) × 请求频率，单位 s</translation>
    </message>
    <message>
        <source>predicted; bold: the plan&apos;s choice</source>
        <translation>预测值；粗体：方案的选择</translation>
    </message>
    <message>
        <source>Show all configurations</source>
        <translation>显示所有配置</translation>
    </message>
    <message>
        <source>Also shows dominated configurations: another one on the same tier has at least the same utility and is no larger</source>
        <translation>同时显示被支配的配置：同层级上另一配置的效用不低于它，且不更大</translation>
    </message>
    <message>
        <source>Other ways to store the selected context</source>
        <translation>存储所选上下文的其他方式</translation>
    </message>
    <message>
        <source>Every tier and candidate configuration, and not storing it, relative to the plan&apos;s choice</source>
        <translation>所有层级与候选配置，以及不存储，相对于方案的选择</translation>
    </message>
    <message>
        <source>Alternatives</source>
        <translation>备选方案</translation>
    </message>
    <message>
        <source>The plan&apos;s decision on the selected context, and what would change it</source>
        <translation>方案对所选上下文的决定，以及什么会改变它</translation>
    </message>
    <message>
        <source>Every other way to store it: bytes, quality, TTFT and utility</source>
        <translation>存储它的所有其他方式：字节、质量、TTFT 和效用</translation>
    </message>
    <message>
        <source>Select a context to see why it is placed here. Esc clears the selection.</source>
        <translation>选择一个上下文，查看它为何放置在此。按 Esc 清除选择。</translation>
    </message>
    <message>
        <source>The engine does not know %1 yet. Start the run.</source>
        <translation>引擎尚不知道 %1。请启动运行。</translation>
    </message>
    <message>
        <source>Planning…</source>
        <translation>正在规划……</translation>
    </message>
    <message>
        <source>What would change it (re-planning, searching…)</source>
        <translation>什么会改变它（正在重新规划搜索……）</translation>
    </message>
    <message>
        <source>What would change it (found by re-planning)</source>
        <translation>什么会改变它（由重新规划得出）</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Measured on the context&apos;s profile questions. With “planned”, each request takes the option with the highest utility: α × quality − seconds of decoding.</source>
        <translation>在该上下文的剖析问题上实测。选择“按计划”时，每个请求采用效用最高的选项：α × 质量 − 解码秒数。</translation>
    </message>
    <message>
        <source>Decode options</source>
        <translation>解码选项</translation>
    </message>
    <message>
        <source>Its decode options: quality and inter-token latency of each</source>
        <translation>它的解码选项：各自的质量和 token 间延迟</translation>
    </message>
    <message>
        <source>Decode options of the selected context</source>
        <translation>所选上下文的解码选项</translation>
    </message>
    <message>
        <source>What would change the placement</source>
        <translation>什么会改变放置</translation>
    </message>
    <message>
        <source>Found by planning again with one input changed; each value is where the plan changes</source>
        <translation>改变一个输入后重新规划得出；每个值都是方案改变之处</translation>
    </message>
    <message>
        <source>Arrow keys scroll</source>
        <translation>方向键滚动</translation>
    </message>
    <message>
        <source>Utility in s: (α × quality − TTFT) × request frequency. Displacement: what other contexts gain or lose when the policy plans around it.</source>
        <translation>效用单位 s：(α × 质量 − TTFT) × 请求频率。挤占：策略围绕它规划时，其他上下文获得或失去的效用。</translation>
    </message>
    <message>
        <source>In numbers</source>
        <translation>数值</translation>
    </message>
</context>
<context>
    <name>kvantage::DecodeControls</name>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>%1, budget %2 % of the prompt</source>
        <translation>%1，预算为提示的 %2 %</translation>
    </message>
    <message numerus="yes">
        <source>%1, budget %n token(s)</source>
        <translation>
            <numerusform>%1，预算 %n 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Keeps every KV entry of the prompt and of the answer</source>
        <translation>保留提示和回答的每个 KV 条目</translation>
    </message>
    <message>
        <source>Decode-time eviction method</source>
        <translation>解码时驱逐方法</translation>
    </message>
    <message>
        <source>Evicts KV entries while an answer is decoded: the prompt is cut to the budget after the first token,
then entries leave as new ones arrive. quest evicts nothing and reads selected pages only.
Stored contexts do not change. Applies from the next request.</source>
        <translation>在解码回答时驱逐 KV 条目：首个 token 之后提示被裁剪到预算，
此后新条目到来时旧条目离开。quest 不驱逐，只读取选定的页。
已存储的上下文不变。从下一个请求起生效。</translation>
    </message>
    <message>
        <source>Eviction</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>Decode budget</source>
        <translation>解码预算</translation>
    </message>
    <message>
        <source>KV entries per head of a layer while decoding: percent of the prompt&apos;s tokens, or tokens</source>
        <translation>解码时一层中每个头的 KV 条目数：提示 token 的百分比，或 token 数</translation>
    </message>
    <message>
        <source>% of prompt</source>
        <translation>% 提示</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Unit of the decode budget</source>
        <translation>解码预算的单位</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Eviction cadence</source>
        <translation>驱逐节奏</translation>
    </message>
    <message>
        <source>Decoded tokens between two evictions. Methods that evict pages evict when a page is full.</source>
        <translation>两次驱逐之间解码的 token 数。驱逐页的方法在页写满时驱逐。</translation>
    </message>
    <message>
        <source>Cadence</source>
        <translation>节奏</translation>
    </message>
    <message>
        <source>per head</source>
        <translation>每头</translation>
    </message>
    <message>
        <source>per layer</source>
        <translation>每层</translation>
    </message>
    <message>
        <source>per sequence</source>
        <translation>每序列</translation>
    </message>
    <message>
        <source>Block table</source>
        <translation>块表</translation>
    </message>
    <message>
        <source>What shares one block table and so evicts the same tokens: each head for itself, all heads of a layer, or the whole sequence (paged_eviction only)</source>
        <translation>共享一个块表、因而驱逐相同 token 的范围：每个头各自、一层的所有头，或整个序列（仅 paged_eviction）</translation>
    </message>
    <message>
        <source>repack</source>
        <translation>重新紧排</translation>
    </message>
    <message>
        <source>hole filling</source>
        <translation>填补空位</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>压实</translation>
    </message>
    <message>
        <source>Frees blocks that eviction left with holes: repack moves all later entries forward, hole filling moves the newest entries into the holes. Answers do not change.</source>
        <translation>释放驱逐后留有空位的块：重新紧排将其后的所有条目前移，填补空位将最新的条目移入空位。回答不变。</translation>
    </message>
    <message>
        <source>Compaction cadence</source>
        <translation>压实节奏</translation>
    </message>
    <message>
        <source>Decoded tokens between two compaction passes (default: 128)</source>
        <translation>两次压实之间解码的 token 数（默认 128）</translation>
    </message>
    <message>
        <source>Unit of the budget: percent of the prompt&apos;s tokens (context and question), or tokens</source>
        <translation>预算的单位：提示 token（上下文和问题）的百分比，或 token 数</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>每隔</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>按计划</translation>
    </message>
    <message>
        <source>For each request the option with the highest utility at α, or none</source>
        <translation>为每个请求选用在 α 下效用最高的选项，或无</translation>
    </message>
    <message>
        <source>Decode options</source>
        <translation>解码选项</translation>
    </message>
    <message>
        <source>Methods with budgets that “planned” chooses from, separated by commas.
Quality and inter-token latency of each are profiled for every context, beside decoding without eviction.</source>
        <translation>“按计划”从中选择的带预算的方法，以逗号分隔。
除不驱逐的解码外，还为每个上下文剖析各选项的质量和 token 间延迟。</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>after the first token</source>
        <translation>首个 token 之后</translation>
    </message>
    <message>
        <source>during the prefill</source>
        <translation>预填充期间</translation>
    </message>
    <message>
        <source>Cut of the prompt</source>
        <translation>提示的裁剪</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页</translation>
    </message>
    <message>
        <source>Tokens that paged_eviction evicts, or quest reads, as one. A block of the pool is freed when all pages
in it are evicted.</source>
        <translation>paged_eviction 一次驱逐（或 quest 一次读取）的 token 数。缓存池的一个块在其中所有页
都被驱逐后释放。</translation>
    </message>
    <message>
        <source> ms</source>
        <translation> ms</translation>
    </message>
    <message>
        <source>all at once</source>
        <translation>一次完成</translation>
    </message>
    <message>
        <source>Compaction time per token</source>
        <translation>每个 token 的压实时间</translation>
    </message>
    <message>
        <source>How long a pass may delay a token: layer by layer, it resumes after the next token. 0: all at once.</source>
        <translation>一次压实最多可延迟一个 token 多久：逐层进行，在下一个 token 之后继续。0：一次完成。</translation>
    </message>
    <message>
        <source>a block of the pool</source>
        <translation>缓存池的一个块</translation>
    </message>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>时间上限</translation>
    </message>
    <message>
        <source>When the prompt is cut to the budget: after the first token, or each layer as soon as its prefill is done.
During the prefill less memory is used. The answer is the same: a layer is cut after the question has
passed it. Only methods that score without attention can do that; others cut after the first token.</source>
        <translation>何时把提示裁剪到预算：首个 token 之后，或每层预填充完成后立即裁剪。
预填充期间裁剪占用内存更少。回答不变：问题通过一层之后才裁剪该层。只有不用注意力
打分的方法可以这样做；其他方法在首个 token 之后裁剪。</translation>
    </message>
    <message>
        <source>e.g. knorm(budget=25%)</source>
        <translation>例如 knorm(budget=25%)</translation>
    </message>
    <message>
        <source>above the budget</source>
        <translation>超出预算时</translation>
    </message>
    <message>
        <source>when a page is full</source>
        <translation>页满时</translation>
    </message>
    <message>
        <source>When to evict a page</source>
        <translation>何时驱逐页</translation>
    </message>
    <message>
        <source>When paged_eviction evicts a page: when a page is full and the layer is above its budget,
or whenever a page is full, whatever the budget (PagedEviction, Algorithm 3)</source>
        <translation>paged_eviction 何时驱逐一页：页满且该层超出预算时，
或只要页满就驱逐，不论预算（PagedEviction，算法 3）</translation>
    </message>
    <message>
        <source>Evict</source>
        <translation>驱逐时机</translation>
    </message>
</context>
<context>
    <name>kvantage::DecodeOptionsModel</name>
    <message>
        <source>bold: chosen for this context at the current α</source>
        <translation>粗体：在当前 α 下为此上下文所选</translation>
    </message>
    <message>
        <source>bold: what “planned” would choose at the current α (Controls &gt; Decoding &gt; Eviction)</source>
        <translation>粗体：“按计划”在当前 α 下会选择的选项（控制 &gt; 解码 &gt; 驱逐）</translation>
    </message>
    <message>
        <source>No decode options. List some under Controls &gt; Decoding &gt; Options, e.g. paged_eviction(budget=25%), or with --decode-options.</source>
        <translation>没有解码选项。请在“控制 &gt; 解码 &gt; 选项”下列出，例如 paged_eviction(budget=25%)，或使用 --decode-options。</translation>
    </message>
    <message>
        <source>The decode options of this context are not profiled yet. They are profiled beside its quality curve, under a policy that plans.</source>
        <translation>此上下文的解码选项尚未剖析。在会规划的策略下，它们与质量曲线一起剖析。</translation>
    </message>
    <message>
        <source>The model cannot decode this way</source>
        <translation>模型不能这样解码</translation>
    </message>
    <message>
        <source>Quality %1, 95 % interval %2 to %3, on the context&apos;s uncompressed KV cache; %4 per answer after its first token</source>
        <translation>质量 %1，95 % 区间 %2 到 %3，基于该上下文未压缩的 KV 缓存；每个回答在首个 token 之后用时 %4</translation>
    </message>
    <message>
        <source>Option</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>ms/token</source>
        <translation>ms/token</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Decode-time eviction and its budget; none: keeps every KV entry</source>
        <translation>解码时驱逐及其预算；none：保留每个 KV 条目</translation>
    </message>
    <message>
        <source>Mean score of the answers to the context&apos;s profile questions, 0 to 1</source>
        <translation>对该上下文剖析问题的回答的平均得分，0 到 1</translation>
    </message>
    <message>
        <source>Mean inter-token latency, in ms, one answer at a time</source>
        <translation>平均 token 间延迟，单位 ms，一次一个回答</translation>
    </message>
    <message>
        <source>Number of answers measured</source>
        <translation>实测的回答数</translation>
    </message>
    <message>
        <source>Select a context to see its decode options.</source>
        <translation>选择一个上下文以查看其解码选项。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>kvantage::DropTarget</name>
    <message numerus="yes">
        <source>%n item(s) dropped, but only one can be opened. Drop a folder that contains them.</source>
        <translation>
            <numerusform>放下了 %n 项，但只能打开一项。请拖放包含它们的文件夹。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is not on this computer. Save it first, then drop the file.</source>
        <translation>%1 不在本机上。请先保存，再拖放文件。</translation>
    </message>
</context>
<context>
    <name>kvantage::EventsDock</name>
    <message>
        <source>Filter by event or text</source>
        <translation>按事件或文本筛选</translation>
    </message>
    <message>
        <source>Filter events</source>
        <translation>筛选事件</translation>
    </message>
    <message>
        <source>Show only events that contain this text</source>
        <translation>仅显示包含该文本的事件</translation>
    </message>
    <message>
        <source>Faults only</source>
        <translation>仅故障</translation>
    </message>
    <message>
        <source>Show only warnings, errors and failed reads or placements</source>
        <translation>仅显示警告、错误以及失败的读取或放置</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>What the engine did and why, newest last. Time in s since the start of the session or of the recorded run.</source>
        <translation>引擎做了什么及其原因，最新的在最后。时间为自会话或所记录运行开始起的秒数。</translation>
    </message>
    <message>
        <source>No events yet. Once you press Start, they tell what the engine does and why.</source>
        <translation>尚无事件。按下“开始”后，可在此查看引擎做了什么及其原因。</translation>
    </message>
    <message>
        <source>No event matches the filter. Clear the filter or uncheck Faults only.</source>
        <translation>没有匹配筛选条件的事件。请清除筛选或取消勾选“仅故障”。</translation>
    </message>
</context>
<context>
    <name>kvantage::EventsModel</name>
    <message>
        <source>run %1 started</source>
        <translation>运行 %1 已开始</translation>
    </message>
    <message numerus="yes">
        <source>run %1: %2 after %n request(s)</source>
        <translation>
            <numerusform>运行 %1：%n 个请求后 %2</numerusform>
        </translation>
    </message>
    <message>
        <source>request %1 canceled</source>
        <translation>请求 %1 已取消</translation>
    </message>
    <message>
        <source>request %1 on %2 from %3, TTFT %4 (%5)</source>
        <translation>请求 %1，上下文 %2，来自 %3，TTFT %4（%5）</translation>
    </message>
    <message>
        <source>%1 computed: %2 tokens, %3 in %4</source>
        <translation>%1 已计算：%2 个 token，%3，用时 %4</translation>
    </message>
    <message numerus="yes">
        <source>%1: profile read from the store, %n point(s)</source>
        <translation>
            <numerusform>%1：从存储读取剖析结果，%n 个点</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 re-profiled: %n point(s) in %2</source>
        <translation>
            <numerusform>%1 已重新剖析：%n 个点，用时 %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 profiled: %n point(s) in %2</source>
        <translation>
            <numerusform>%1 已剖析：%n 个点，用时 %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 planned %n action(s) in %2: predicted quality %3, TTFT %4</source>
        <translation>
            <numerusform>%1 规划了 %n 个动作，用时 %2：预测质量 %3，TTFT %4</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 superseded: %2</source>
        <translation>%1 已被取代：%2</translation>
    </message>
    <message>
        <source>%1 failed: %2</source>
        <translation>%1 失败：%2</translation>
    </message>
    <message>
        <source>read from %1 failed, counted as a miss: %2</source>
        <translation>从 %1 读取失败，计为未命中：%2</translation>
    </message>
    <message numerus="yes">
        <source>%1 fitted from %n load(s): %2, latency %3 (throttled)</source>
        <translation>
            <numerusform>%1 由 %n 次加载拟合：%2，延迟 %3（限速）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 fitted from %n load(s): %2, latency %3</source>
        <translation>
            <numerusform>%1 由 %n 次加载拟合：%2，延迟 %3</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 (%2): reads %3 (%4), failed reads %5, writes %6, injected faults %7</source>
        <translation>%1（%2）：读取 %3（%4），读取失败 %5，写入 %6，注入故障 %7</translation>
    </message>
    <message numerus="yes">
        <source>%1 drifted: quality %2 over its last %3 answers, profiled %4; to be re-profiled on %n question(s)</source>
        <translation>
            <numerusform>%1 已漂移：最近 %3 个回答的质量 %2，剖析值 %4；将用 %n 个问题重新剖析</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>busy for %1, of which %2 re-profiling; up to %n request(s) in flight</source>
        <translation>
            <numerusform>忙碌 %1，其中重新剖析 %2；最多 %n 个在途请求</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message numerus="yes">
        <source>request %1 on %2 compacted: %n block(s) freed, %3 KV entries moved in %4</source>
        <translation>
            <numerusform>请求 %1（%2）已压实：释放 %n 块，在 %4 内移动 %3 个 KV 条目</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::ExperimentForm</name>
    <message>
        <source>Name of the experiment</source>
        <translation>实验名称</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Name of the experiment in the list</source>
        <translation>实验在列表中的名称</translation>
    </message>
    <message>
        <source>Cells and time</source>
        <translation>单元数与时间</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Add this experiment to the queue; pauses the live run</source>
        <translation>将此实验加入队列；会暂停实时运行</translation>
    </message>
    <message>
        <source>Save plan…</source>
        <translation>保存计划…</translation>
    </message>
    <message>
        <source>Save the plan as a file for kvantage-cli sweep --plan, here or with workers</source>
        <translation>将计划保存为文件，供 kvantage-cli sweep --plan 在本机或由工作进程使用</translation>
    </message>
    <message>
        <source>Not available: %1</source>
        <translation>不可用：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::ExperimentFormModel</name>
    <message>
        <source>Policies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Placement and compression policies, separated by commas</source>
        <translation>放置与压缩策略，以逗号分隔</translation>
    </message>
    <message>
        <source>lru, evicpress, …</source>
        <translation>lru, evicpress, …</translation>
    </message>
    <message>
        <source>α</source>
        <translation>α</translation>
    </message>
    <message>
        <source>Values of quality in seconds: numbers, or grids like 0.01:10:7; policies that do not use α run once</source>
        <translation>以秒计的质量价值：数值，或 0.01:10:7 这样的网格；不使用 α 的策略只运行一次</translation>
    </message>
    <message>
        <source>Budgets</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Of all tiers together: factors of the session&apos;s budgets, or shares of the uncompressed bytes like 20%; of single tiers like dram=10%+ssd=40%</source>
        <translation>所有存储层合计：会话预算的倍数，或未压缩字节数的比例（如 20%）；单个存储层写成 dram=10%+ssd=40%</translation>
    </message>
    <message>
        <source>1: those of the workload</source>
        <translation>1：工作负载的预算</translation>
    </message>
    <message>
        <source>Budgets of %1</source>
        <translation>%1 的预算</translation>
    </message>
    <message>
        <source>Budgets of this tier alone, combined with those of the other tiers; factors or shares</source>
        <translation>仅此存储层的预算，与其他存储层的预算组合；倍数或比例</translation>
    </message>
    <message>
        <source>as in the line above</source>
        <translation>同上一行</translation>
    </message>
    <message>
        <source>Methods</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Candidate compression methods; sets separated by | are compared</source>
        <translation>候选压缩方法；以 | 分隔的各组相互比较</translation>
    </message>
    <message>
        <source>those of the workload</source>
        <translation>工作负载的设置</translation>
    </message>
    <message>
        <source>Removed fractions</source>
        <translation>移除比例</translation>
    </message>
    <message>
        <source>Candidate shares of removed tokens, from 0 to below 1</source>
        <translation>候选的 token 移除比例，从 0 到小于 1</translation>
    </message>
    <message>
        <source>Rates (1/s)</source>
        <translation>速率（1/s）</translation>
    </message>
    <message>
        <source>Requests per second; 0 is a closed loop, back to back</source>
        <translation>每秒请求数；0 表示闭环（逐个连续）</translation>
    </message>
    <message>
        <source>Decode-time eviction</source>
        <translation>解码时驱逐</translation>
    </message>
    <message>
        <source>Methods with their budgets, like none, knorm(budget=25%); planned chooses for each request</source>
        <translation>方法及其预算，例如 none, knorm(budget=25%)；planned 为每个请求选择</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Numbers and ranges, like 0-4; from five seeds on there are 95 % intervals</source>
        <translation>数值与范围，例如 0-4；从五个种子起有 95 % 区间</translation>
    </message>
    <message>
        <source>Requests a cell</source>
        <translation>每单元请求数</translation>
    </message>
    <message>
        <source>Number of requests of each cell</source>
        <translation>每个单元的请求数</translation>
    </message>
    <message>
        <source>all of the workload</source>
        <translation>工作负载的全部请求</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n cell(s)</source>
        <translation>
            <numerusform>%n 个单元</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, about %2 (from %n measured cell(s))</source>
        <translation>
            <numerusform>%1，约 %2（依据 %n 个已测单元）</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, at most about %2 (from the session&apos;s fits, without decoding)</source>
        <translation>%1，最多约 %2（依据会话的拟合，不含解码）</translation>
    </message>
    <message>
        <source>%1; time unknown until a cell is measured</source>
        <translation>%1；测量一个单元之前时间未知</translation>
    </message>
</context>
<context>
    <name>kvantage::ExperimentResults</name>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Show runs</source>
        <translation>显示运行</translation>
    </message>
    <message>
        <source>Show the recorded runs of these cells in Runs</source>
        <translation>在“运行”中显示这些单元的已记录运行</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Save the table as CSV or JSON, or the chart as a picture for a paper</source>
        <translation>将表格保存为 CSV 或 JSON，或将图表保存为论文用图</translation>
    </message>
    <message>
        <source>Table of the experiment</source>
        <translation>实验表格</translation>
    </message>
    <message>
        <source>A row for each combination: means over its seeds; low and high are 95 % intervals</source>
        <translation>每个组合一行：各种子的均值；low 与 high 为 95 % 区间</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n cell(s) served. *: on the frontier of its budget and rate.</source>
        <translation>
            <numerusform>已服务 %1 / %n 个单元。*：位于其预算和速率的前沿。</numerusform>
        </translation>
    </message>
    <message>
        <source>No cell was served yet.</source>
        <translation>尚未服务任何单元。</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Failed: %1: %2</source>
        <translation>失败：%1：%2</translation>
    </message>
    <message numerus="yes">
        <source>Served on %n machine(s), whose times are not comparable.</source>
        <translation>
            <numerusform>在 %n 台机器上服务，其时间不可比较。</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;CSV…</source>
        <translation>&amp;CSV…</translation>
    </message>
    <message>
        <source>&amp;JSON…</source>
        <translation>&amp;JSON…</translation>
    </message>
    <message>
        <source>%1 cannot be written. Choose a writable folder with free disk space.</source>
        <translation>无法写入 %1。请选择可写且有剩余空间的文件夹。</translation>
    </message>
    <message>
        <source>Export results</source>
        <translation>导出结果</translation>
    </message>
    <message>
        <source>Saved: %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Chart of the results</source>
        <translation>结果图表</translation>
    </message>
    <message>
        <source>What is drawn: measured points, or a metric along a setting that cells differ in</source>
        <translation>所画内容：实测点，或某个指标随各单元不同的设置变化</translation>
    </message>
</context>
<context>
    <name>kvantage::ExperimentsModel</name>
    <message>
        <source>This window runs no experiments. Use kvantage-cli sweep in a terminal.</source>
        <translation>此窗口不运行实验。请在终端中使用 kvantage-cli sweep。</translation>
    </message>
    <message>
        <source>A figure is running. Wait for it or cancel it.</source>
        <translation>正在复现图表。请等待其完成或取消。</translation>
    </message>
    <message>
        <source>The session is loading. Wait until it is ready.</source>
        <translation>会话正在加载。请等待就绪。</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>%1 finished: %2.</source>
        <translation>%1 已完成：%2。</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n cell(s)</source>
        <translation>
            <numerusform>%1 / %n 个单元</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n 个失败</numerusform>
        </translation>
    </message>
    <message>
        <source>pausing after this cell</source>
        <translation>此单元之后暂停</translation>
    </message>
    <message>
        <source>canceling</source>
        <translation>正在取消</translation>
    </message>
    <message>
        <source>about %1 left</source>
        <translation>约剩 %1</translation>
    </message>
    <message>
        <source>Name of the experiment</source>
        <translation>实验名称</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Whether its cells are served</source>
        <translation>其单元是否在服务</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Cells served, of all cells</source>
        <translation>已服务的单元 / 全部单元</translation>
    </message>
    <message>
        <source>Cells</source>
        <translation>单元</translation>
    </message>
    <message>
        <source>Time left, from the cells served so far</source>
        <translation>剩余时间，依据至今已服务的单元</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>Experiment %1 is running: %2. The cell that is being served is lost.</source>
        <translation>实验 %1 正在运行：%2。正在服务的单元会丢失。</translation>
    </message>
</context>
<context>
    <name>kvantage::ExperimentsPage</name>
    <message>
        <source>Experiment %1</source>
        <translation>实验 %1</translation>
    </message>
    <message>
        <source>%1, again</source>
        <translation>%1，再次</translation>
    </message>
    <message>
        <source>Save plan</source>
        <translation>保存计划</translation>
    </message>
    <message>
        <source>Plans (*.json)</source>
        <translation>计划 (*.json)</translation>
    </message>
    <message>
        <source>Saved: %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Remove experiment</source>
        <translation>移除实验</translation>
    </message>
    <message>
        <source>Remove %1?</source>
        <translation>移除 %1？</translation>
    </message>
    <message>
        <source>This deletes its folder with the results and cannot be undone. Recorded runs are kept.</source>
        <translation>这会删除其文件夹及结果，且无法撤销。已记录的运行会保留。</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>No experiment selected</source>
        <translation>未选择实验</translation>
    </message>
    <message>
        <source>Experiments</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Experiments, oldest first: they run one after the other</source>
        <translation>实验，最早的在前：它们依次运行</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Show the form for another experiment</source>
        <translation>显示用于另一个实验的表单</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Delete this experiment and its results; recorded runs are kept</source>
        <translation>删除此实验及其结果；已记录的运行会保留</translation>
    </message>
    <message>
        <source>Experiment pages</source>
        <translation>实验页面</translation>
    </message>
    <message>
        <source>The form for the next experiment, and the results of the selected one</source>
        <translation>下一个实验的表单，以及所选实验的结果</translation>
    </message>
    <message>
        <source>Form</source>
        <translation>表单</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Pause the queue after the cell that is being served</source>
        <translation>在正在服务的单元之后暂停队列</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Serve the cells without a result; failed cells are tried again</source>
        <translation>服务尚无结果的单元；失败的单元会重试</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Abort the cell that is being served; results so far are kept</source>
        <translation>中止正在服务的单元；至今的结果会保留</translation>
    </message>
    <message>
        <source>Use settings</source>
        <translation>使用设置</translation>
    </message>
    <message>
        <source>Fill the form with the settings of this experiment</source>
        <translation>用此实验的设置填写表单</translation>
    </message>
    <message>
        <source>Copy command line</source>
        <translation>复制命令行</translation>
    </message>
    <message>
        <source>Copy the command line that serves this experiment in a terminal</source>
        <translation>复制在终端中服务此实验的命令行</translation>
    </message>
    <message>
        <source>Progress of the experiment</source>
        <translation>实验进度</translation>
    </message>
    <message>
        <source>Experiment status</source>
        <translation>实验状态</translation>
    </message>
    <message>
        <source>Delete its folder with the results; this cannot be undone</source>
        <translation>删除其文件夹及结果；此操作无法撤消</translation>
    </message>
</context>
<context>
    <name>kvantage::ExplainModel</name>
    <message>
        <source>not stored</source>
        <translation>未存储</translation>
    </message>
    <message>
        <source>No profile yet, so no prediction. Start the run.</source>
        <translation>尚无剖析结果，因此没有预测。请启动运行。</translation>
    </message>
    <message>
        <source>α has no effect on %1. Select evicpress in Controls.</source>
        <translation>α 对 %1 没有影响。请在“控制”中选择 evicpress。</translation>
    </message>
    <message>
        <source>Planning…</source>
        <translation>正在规划……</translation>
    </message>
    <message>
        <source>No placement differs. Move the second α further away.</source>
        <translation>没有不同的放置。请将第二个 α 移得更远。</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n context(s) change placement: mean quality %2 → %3, mean TTFT %4 → %5</source>
        <translation>
            <numerusform>%n 个上下文中有 %1 个改变放置：平均质量 %2 → %3，平均 TTFT %4 → %5</numerusform>
        </translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Utility</source>
        <translation>效用</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>族</translation>
    </message>
    <message>
        <source>Context of the workload</source>
        <translation>工作负载的上下文</translation>
    </message>
    <message>
        <source>Placement at the current α</source>
        <translation>当前 α 下的放置</translation>
    </message>
    <message>
        <source>Placement at the second α</source>
        <translation>第二个 α 下的放置</translation>
    </message>
    <message>
        <source>Change of (α × quality − TTFT) × request frequency at the second α, in s. Below 0: displaced in favor of others.</source>
        <translation>第二个 α 下 (α × 质量 − TTFT) × 请求频率的变化，单位 s。小于 0：为其他上下文让出空间。</translation>
    </message>
    <message>
        <source>Predicted quality at the current and the second α, 0 to 1</source>
        <translation>当前与第二个 α 下的预测质量，0 到 1</translation>
    </message>
    <message>
        <source>Predicted TTFT at the current and the second α, without queueing</source>
        <translation>当前与第二个 α 下的预测 TTFT，不含排队</translation>
    </message>
    <message>
        <source>Change in stored bytes</source>
        <translation>存储字节的变化</translation>
    </message>
    <message>
        <source>Text family</source>
        <translation>文本族</translation>
    </message>
</context>
<context>
    <name>kvantage::ExplainPanel</name>
    <message>
        <source>Second alpha</source>
        <translation>第二个 alpha</translation>
    </message>
    <message>
        <source>α to compare the current one with, in s per unit of quality. Click the curve to set it.</source>
        <translation>与当前值比较的 α，单位 s（每单位质量）。点击曲线可设置。</translation>
    </message>
    <message>
        <source>The current α is set in Controls</source>
        <translation>当前 α 在“控制”中设置</translation>
    </message>
    <message>
        <source>Predicted by the policy for the steady state; means weighted by request frequency</source>
        <translation>策略对稳态的预测；平均值按请求频率加权</translation>
    </message>
    <message>
        <source>Placement changes between two α</source>
        <translation>两个 α 之间的放置变化</translation>
    </message>
    <message>
        <source>Contexts whose placement differs between two α</source>
        <translation>两个 α 下放置不同的上下文</translation>
    </message>
    <message>
        <source>Predicted; largest effect on utility first</source>
        <translation>预测值；对效用影响最大的在前</translation>
    </message>
    <message>
        <source>From α = %1 s to</source>
        <translation>从 α = %1 s 到</translation>
    </message>
</context>
<context>
    <name>kvantage::FaultControls</name>
    <message>
        <source>%1 faults</source>
        <translation>%1 故障</translation>
    </message>
    <message>
        <source>Injects faults into the files of %1 while requests run. Every read is verified: a corrupt byte is a miss, never an answer.</source>
        <translation>在请求运行时向 %1 的文件注入故障。每次读取都会校验：损坏的字节是未命中，绝不会成为回答。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>No injected faults</source>
        <translation>未注入故障</translation>
    </message>
    <message>
        <source>%1 fault probability</source>
        <translation>%1 故障概率</translation>
    </message>
    <message>
        <source>Fault probability per device call, in percent. Reading a cache takes several calls.</source>
        <translation>每次设备调用的故障概率，百分比。读取一个缓存需要多次调用。</translation>
    </message>
    <message>
        <source>seed </source>
        <translation>种子 </translation>
    </message>
    <message>
        <source>%1 fault seed</source>
        <translation>%1 故障种子</translation>
    </message>
    <message>
        <source>Selects which calls fail. The same seed injects the same faults from the start of a run.</source>
        <translation>决定哪些调用失败。相同的种子从运行开始注入相同的故障。</translation>
    </message>
    <message>
        <source>Injected faults by kind, failed reads and failed writes by reason, since the tier was opened (measured)</source>
        <translation>自层级打开以来按类型统计的注入故障、按原因统计的读取失败和写入失败（实测）</translation>
    </message>
    <message>
        <source>custom</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>injected: %1</source>
        <translation>已注入：%1</translation>
    </message>
    <message>
        <source>reads failed: %1</source>
        <translation>读取失败：%1</translation>
    </message>
    <message>
        <source>writes failed: %1</source>
        <translation>写入失败：%1</translation>
    </message>
    <message>
        <source>no fault injected yet</source>
        <translation>尚未注入故障</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureBarsChart</name>
    <message>
        <source>Bars of a figure</source>
        <translation>图表的柱形</translation>
    </message>
    <message>
        <source>%1 (95 %: %2 to %3)</source>
        <translation>%1（95 %：%2 至 %3）</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureChart</name>
    <message>
        <source>%1; arrow keys move between points</source>
        <translation>%1；方向键在点之间移动</translation>
    </message>
    <message>
        <source>vs. %1</source>
        <translation>对 %1</translation>
    </message>
    <message>
        <source>%1 vs. %2</source>
        <translation>%1 对 %2</translation>
    </message>
    <message>
        <source>Axes of the chart</source>
        <translation>图表的坐标轴</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureHeatMap</name>
    <message>
        <source>Heat map of a figure</source>
        <translation>图表的热图</translation>
    </message>
    <message>
        <source>Color scale: %1 (%2)</source>
        <translation>色标：%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>no value</source>
        <translation>无值</translation>
    </message>
    <message>
        <source>The table has no number for this cell</source>
        <translation>表中没有该单元格的数值</translation>
    </message>
    <message>
        <source>Nothing to plot: no row has a number. See the table.</source>
        <translation>没有可绘制的内容：没有一行有数值。请查看表格。</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureJob</name>
    <message numerus="yes">
        <source>%n run(s) recorded</source>
        <translation>
            <numerusform>已记录 %n 个运行</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
    <message>
        <source>%1 is running. Wait for it or cancel it.</source>
        <translation>%1 正在运行。请等待或取消。</translation>
    </message>
    <message>
        <source>The session is loading. Wait until it is ready.</source>
        <translation>会话正在加载。请等待就绪。</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <translation>%1：%2 / %3</translation>
    </message>
    <message>
        <source>Canceling: the current run finishes and is recorded, %1</source>
        <translation>正在取消：当前运行完成后会被记录，%1</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n cell(s)</source>
        <translation>
            <numerusform>%1 / %n 个单元</numerusform>
        </translation>
    </message>
    <message>
        <source>about %1 left</source>
        <translation>约剩 %1</translation>
    </message>
    <message>
        <source>Figure %1 is running: %2</source>
        <translation>图表 %1 正在运行：%2</translation>
    </message>
    <message>
        <source>%1, %2 so far</source>
        <translation>%1，已用 %2</translation>
    </message>
    <message>
        <source>The command finished without a result. Run it in a terminal to see why.</source>
        <translation>命令结束但没有结果。请在终端中运行以查明原因。</translation>
    </message>
    <message numerus="yes">
        <source>canceled after %1 of %n cell(s); %2</source>
        <translation>
            <numerusform>在 %n 个单元中的 %1 个之后取消；%2</numerusform>
        </translation>
    </message>
    <message>
        <source>The command failed with exit code %1. Run it in a terminal to see why.</source>
        <translation>命令失败，退出码 %1。请在终端中运行以查明原因。</translation>
    </message>
    <message>
        <source>This window reproduces no figures. Use kvantage-cli reproduce in a terminal.</source>
        <translation>此窗口不复现图表。请在终端中使用 kvantage-cli reproduce。</translation>
    </message>
    <message>
        <source>%1 finished in %2. See Papers for the comparison with the paper.</source>
        <translation>%1 在 %2 内完成。与论文的比较见“论文”。</translation>
    </message>
    <message>
        <source>An experiment is running. Pause it or wait for it.</source>
        <translation>正在运行实验。请暂停或等待其完成。</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureQuestion</name>
    <message>
        <source>If you continue, the figure is canceled without a result. To keep its progress, wait until it finishes.</source>
        <translation>如果继续，该图表会被取消且没有结果。要保留进度，请等待其完成。</translation>
    </message>
    <message>
        <source>&amp;Cancel figure</source>
        <translation>取消图表(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Keep running</source>
        <translation>继续运行(&amp;K)</translation>
    </message>
    <message>
        <source>The queue of experiments and all results are kept: resume it after the next start.</source>
        <translation>实验队列和所有结果都会保留：下次启动后可继续。</translation>
    </message>
    <message>
        <source>Keep the &amp;queue for the next start</source>
        <translation>保留队列至下次启动(&amp;Q)</translation>
    </message>
    <message>
        <source>Cancel the figure without a result, and continue with what was asked for</source>
        <translation>取消该图，不保留结果，然后继续所请求的操作</translation>
    </message>
    <message>
        <source>Continue with what was asked for; the queue can be resumed later</source>
        <translation>继续所请求的操作；队列以后可以恢复</translation>
    </message>
    <message>
        <source>Close this; what is running continues (Esc)</source>
        <translation>关闭；正在运行的继续（Esc）</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureQueue</name>
    <message numerus="yes">
        <source>%n figure(s) finished.</source>
        <translation>
            <numerusform>%n 个图表已完成。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n figure(s) finished; without a result: %2</source>
        <translation>
            <numerusform>%n 个图表中有 %1 个已完成；没有结果的：%2</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureResultView</name>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Saved results of this figure, newest first</source>
        <translation>该图表已保存的结果，最新的在前</translation>
    </message>
    <message>
        <source>Show runs</source>
        <translation>显示运行</translation>
    </message>
    <message>
        <source>Show the runs behind this result in the Runs dock</source>
        <translation>在“运行”停靠窗中显示该结果对应的运行</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Delete this result; its runs are kept</source>
        <translation>删除该结果；其运行会保留</translation>
    </message>
    <message>
        <source>&amp;CSV…</source>
        <translation>&amp;CSV…</translation>
    </message>
    <message>
        <source>&amp;JSON…</source>
        <translation>&amp;JSON…</translation>
    </message>
    <message>
        <source>C&amp;opy as text</source>
        <translation>复制为文本(&amp;O)</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Findings on this machine, next to what the paper reports</source>
        <translation>本机结论与论文报告的对照</translation>
    </message>
    <message>
        <source>Tables of the result</source>
        <translation>结果的表格</translation>
    </message>
    <message>
        <source>Table of the result</source>
        <translation>结果的表格</translation>
    </message>
    <message>
        <source>Units are in the column headers. Hover over a cell for the full-precision value.</source>
        <translation>单位见列标题。悬停在单元格上可查看完整精度的值。</translation>
    </message>
    <message>
        <source>Paper figure</source>
        <translation>论文图表</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Show the table instead of the chart; a larger dock shows both</source>
        <translation>显示表格而非图表；停靠窗较大时两者都显示</translation>
    </message>
    <message>
        <source>%1 has not been reproduced on this machine yet. Check its settings and press Start.</source>
        <translation>尚未在本机复现 %1。请检查其设置并按“开始”。</translation>
    </message>
    <message>
        <source>No runs</source>
        <translation>没有运行</translation>
    </message>
    <message numerus="yes">
        <source>Show %n run(s)</source>
        <translation>
            <numerusform>显示 %n 个运行</numerusform>
        </translation>
    </message>
    <message>
        <source>This machine (%1)</source>
        <translation>本机（%1）</translation>
    </message>
    <message>
        <source>No summary; see the tables.</source>
        <translation>没有摘要；请查看表格。</translation>
    </message>
    <message>
        <source>Paper</source>
        <translation>论文</translation>
    </message>
    <message>
        <source>Reproduced in %1 with</source>
        <translation>复现用时 %1，设置为</translation>
    </message>
    <message>
        <source>There is no result to save. Reproduce the figure first.</source>
        <translation>没有可保存的结果。请先复现该图表。</translation>
    </message>
    <message>
        <source>Export result</source>
        <translation>导出结果</translation>
    </message>
    <message>
        <source>Saved: %1</source>
        <translation>已保存：%1</translation>
    </message>
    <message>
        <source>Remove result</source>
        <translation>移除结果</translation>
    </message>
    <message>
        <source>Remove the result of %1 from %2?</source>
        <translation>移除 %2 的 %1 结果？</translation>
    </message>
    <message>
        <source>This deletes its file and cannot be undone. Recorded runs are kept in the Runs dock.</source>
        <translation>这会删除其文件且无法撤销。已记录的运行保留在“运行”停靠窗中。</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Save the result as CSV or JSON, its plot as a picture for a paper, or copy it as text</source>
        <translation>将结果保存为 CSV 或 JSON，将其图形保存为论文用图片，或复制为文本</translation>
    </message>
    <message>
        <source>The table has no plot. Select another table.</source>
        <translation>该表格没有图形。请选择其他表格。</translation>
    </message>
    <message>
        <source>%1 cannot be written. Choose a writable folder with free disk space.</source>
        <translation>无法写入 %1。请选择可写且有可用空间的文件夹。</translation>
    </message>
    <message>
        <source>Reproduced with</source>
        <translation>复现时的设置</translation>
    </message>
    <message>
        <source>Delete the file of this result; this cannot be undone</source>
        <translation>删除此结果的文件；此操作无法撤消</translation>
    </message>
    <message>
        <source>all models</source>
        <translation>所有模型</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureResults</name>
    <message>
        <source>has version %1, but this program reads version %2; open it with the program that saved it</source>
        <translation>的版本为 %1，但本程序读取版本 %2；请用保存它的程序打开</translation>
    </message>
    <message>
        <source>The result cannot be saved and is lost when the window closes: %1</source>
        <translation>无法保存结果，窗口关闭后将丢失：%1</translation>
    </message>
    <message>
        <source>%1 cannot be deleted. Check that you may write to its folder.</source>
        <translation>无法删除 %1。请检查是否有权写入其文件夹。</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureScatterChart</name>
    <message>
        <source>Points of a figure</source>
        <translation>图表的点</translation>
    </message>
    <message>
        <source>%1 (95 %: %2 to %3)</source>
        <translation>%1（95 %：%2 至 %3）</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureSettingsForm</name>
    <message>
        <source>This figure has no settings.</source>
        <translation>该图表没有设置。</translation>
    </message>
    <message>
        <source>%1. If empty: %2</source>
        <translation>%1。如为空：%2</translation>
    </message>
    <message>
        <source>%1. Default: %2</source>
        <translation>%1。默认：%2</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>More settings</source>
        <translation>更多设置</translation>
    </message>
    <message>
        <source>Settings that the figure rarely needs</source>
        <translation>该图很少需要的设置</translation>
    </message>
</context>
<context>
    <name>kvantage::FigureTableModel</name>
    <message>
        <source>no value</source>
        <translation>无值</translation>
    </message>
</context>
<context>
    <name>kvantage::FiguresModel</name>
    <message>
        <source>canceling</source>
        <translation>正在取消</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>尚未</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Last run</source>
        <translation>上次运行</translation>
    </message>
    <message>
        <source>Fig. %1</source>
        <translation>图 %1</translation>
    </message>
    <message>
        <source>Table %1</source>
        <translation>表 %1</translation>
    </message>
</context>
<context>
    <name>kvantage::FiguresPage</name>
    <message>
        <source>Back to the session</source>
        <translation>返回会话</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Reproduce this figure with the settings shown; pauses the live run</source>
        <translation>用所示设置复现该图表；会暂停实时运行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel the running figure; completed runs stay recorded</source>
        <translation>取消正在运行的图表；已完成的运行仍会保留记录</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <source>Reset every setting to the figure&apos;s default</source>
        <translation>将每个设置恢复为该图表的默认值</translation>
    </message>
    <message>
        <source>Copy command line</source>
        <translation>复制命令行</translation>
    </message>
    <message>
        <source>Copy the command line that reproduces this figure in a terminal</source>
        <translation>复制在终端中复现该图表的命令行</translation>
    </message>
    <message>
        <source>Paper figures</source>
        <translation>论文图表</translation>
    </message>
    <message>
        <source>Reproducible figures by paper, and when each was last reproduced</source>
        <translation>按论文列出的可复现图表，及其上次复现时间</translation>
    </message>
    <message>
        <source>Reproduce several</source>
        <translation>复现多个</translation>
    </message>
    <message>
        <source>Reproduce many figures one after the other, with their default settings</source>
        <translation>按默认设置逐个复现多个图表</translation>
    </message>
    <message>
        <source>Figures of &amp;this paper</source>
        <translation>本论文的图表(&amp;T)</translation>
    </message>
    <message>
        <source>Figures &amp;without a result</source>
        <translation>没有结果的图表(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;All figures</source>
        <translation>所有图表(&amp;A)</translation>
    </message>
    <message>
        <source>Import results</source>
        <translation>导入结果</translation>
    </message>
    <message>
        <source>Take over results that kvantage-cli reproduced</source>
        <translation>导入 kvantage-cli 复现的结果</translation>
    </message>
    <message>
        <source>&amp;File…</source>
        <translation>文件(&amp;F)…</translation>
    </message>
    <message>
        <source>A file that reproduce --json printed</source>
        <translation>reproduce --json 输出的文件</translation>
    </message>
    <message>
        <source>F&amp;older…</source>
        <translation>文件夹(&amp;O)…</translation>
    </message>
    <message>
        <source>The folder of reproduce all</source>
        <translation>reproduce all 的文件夹</translation>
    </message>
    <message>
        <source>Every figure has a result.</source>
        <translation>每个图表都有结果。</translation>
    </message>
    <message>
        <source>Import the folder of reproduce all</source>
        <translation>导入 reproduce all 的文件夹</translation>
    </message>
    <message>
        <source>Import a result</source>
        <translation>导入结果</translation>
    </message>
    <message>
        <source>Results (*.json)</source>
        <translation>结果 (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message numerus="yes">
        <source>%n result(s) imported.</source>
        <translation>
            <numerusform>已导入 %n 个结果。</numerusform>
        </translation>
    </message>
    <message>
        <source>About the figure</source>
        <translation>关于该图表</translation>
    </message>
    <message>
        <source>Setup on this machine, expected shape, and what the paper reports</source>
        <translation>本机设置、预期形状和论文报告的内容</translation>
    </message>
    <message>
        <source>Figure pages</source>
        <translation>图表页面</translation>
    </message>
    <message>
        <source>Description, settings and results of the figure</source>
        <translation>该图表的说明、设置和结果</translation>
    </message>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Claims</source>
        <translation>论断</translation>
    </message>
    <message>
        <source>Progress of the figure</source>
        <translation>图表进度</translation>
    </message>
    <message>
        <source>Figure status</source>
        <translation>图表状态</translation>
    </message>
    <message>
        <source>Claims of the paper</source>
        <translation>论文的论断</translation>
    </message>
    <message>
        <source>Paper %1</source>
        <translation>论文 %1</translation>
    </message>
    <message>
        <source>Select one of its figures.</source>
        <translation>请选择其中一个图表。</translation>
    </message>
    <message>
        <source>Setup on this machine</source>
        <translation>本机设置</translation>
    </message>
    <message>
        <source>Expected shape</source>
        <translation>预期形状</translation>
    </message>
    <message>
        <source>Reported in the paper</source>
        <translation>论文报告</translation>
    </message>
    <message>
        <source>Not available: %1</source>
        <translation>不可用：%1</translation>
    </message>
    <message>
        <source>The live run is running as well, so both compete for the CPU and the figure&apos;s times are inflated.</source>
        <translation>实时运行也在进行，两者争用 CPU，因此该图表的时间偏大。</translation>
    </message>
    <message>
        <source>The live run is paused until the figure finishes.</source>
        <translation>实时运行已暂停，直到该图表完成。</translation>
    </message>
    <message>
        <source>Show the Frontier and the docks again (Ctrl+1)</source>
        <translation>再次显示前沿和停靠窗口 (Ctrl+1)</translation>
    </message>
</context>
<context>
    <name>kvantage::FirstAlpha</name>
    <message>
        <source>α at the knee of the curve</source>
        <translation>α 取曲线拐点</translation>
    </message>
</context>
<context>
    <name>kvantage::ForestModel</name>
    <message>
        <source>%1: %2 % of %3 (95 %: %4 to %5 %)</source>
        <translation>%1：%3 的 %2 %（95 %：%4 至 %5 %）</translation>
    </message>
    <message>
        <source>%1: %2 % of %3</source>
        <translation>%1：%3 的 %2 %</translation>
    </message>
    <message>
        <source>no relative difference</source>
        <translation>没有相对差异</translation>
    </message>
    <message>
        <source>Enter shows the metric by context</source>
        <translation>按 Enter 键按上下文显示该指标</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Metrics of the runs, in groups</source>
        <translation>各运行的指标，按组排列</translation>
    </message>
    <message>
        <source>Baseline: %1</source>
        <translation>基线：%1</translation>
    </message>
    <message>
        <source>Difference from %1</source>
        <translation>与 %1 的差异</translation>
    </message>
    <message>
        <source>Difference and its 95 % interval, both divided by the value of %1. The interval is that of paired questions.</source>
        <translation>差异及其 95 % 区间，均除以 %1 的值。区间来自配对的问题。</translation>
    </message>
    <message>
        <source>In words</source>
        <translation>文字说明</translation>
    </message>
    <message>
        <source>What the difference says: times, rates and memory in percent, qualities and shares in their own unit</source>
        <translation>差异的含义：时间、速率和内存以百分比表示，质量和占比以各自的单位表示</translation>
    </message>
</context>
<context>
    <name>kvantage::ForestTable</name>
    <message>
        <source>Differences between runs</source>
        <translation>运行之间的差异</translation>
    </message>
    <message>
        <source>One row per metric: both values, the difference from the baseline with its 95 % interval, and what it says. Arrow keys move through the metrics; Enter shows one by context.</source>
        <translation>每个指标一行：两个值、与基线的差异及其 95 % 区间，以及其含义。方向键在指标间移动；按 Enter 键按上下文显示一个指标。</translation>
    </message>
</context>
<context>
    <name>kvantage::FormulaChart</name>
    <message>
        <source>Formula by context</source>
        <translation>各上下文的公式值</translation>
    </message>
    <message>
        <source>EvicPress&apos;s utility (s)</source>
        <translation>EvicPress 的效用 (s)</translation>
    </message>
    <message>
        <source>Value of the formula against EvicPress&apos;s utility, a point for each context; arrow keys move between points</source>
        <translation>公式值与 EvicPress 效用的对比，每个上下文一个点；方向键在点之间移动</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Formula (10^%1)</source>
        <translation>公式 (10^%1)</translation>
    </message>
    <message>
        <source>contexts as placed now</source>
        <translation>上下文的当前放置</translation>
    </message>
    <message>
        <source>Predicted. Where points rise to the right, the formula ranks contexts as EvicPress does.</source>
        <translation>预测值。点向右上升之处，公式对上下文的排序与 EvicPress 相同。</translation>
    </message>
    <message numerus="yes">
        <source>%n without a value</source>
        <translation>
            <numerusform>%n 个没有值</numerusform>
        </translation>
    </message>
    <message>
        <source>The value of these contexts is infinite or not a number. Such a form is chosen last.</source>
        <translation>这些上下文的值为无穷大或非数字。这样的形式最后才会被选择。</translation>
    </message>
    <message>
        <source>No formula to show.</source>
        <translation>没有可显示的公式。</translation>
    </message>
    <message>
        <source>The formula has no finite value for any context.</source>
        <translation>公式对任何上下文都没有有限值。</translation>
    </message>
    <message>
        <source>No context is known yet.</source>
        <translation>尚无已知的上下文。</translation>
    </message>
    <message>
        <source>contexts</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>%1: %2
formula: %3
EvicPress&apos;s utility: %4 s (predicted)</source>
        <translation>%1：%2
公式：%3
EvicPress 的效用：%4 s（预测）</translation>
    </message>
</context>
<context>
    <name>kvantage::FormulaControls</name>
    <message>
        <source>The plan has the largest sum of this over contexts that it finds.</source>
        <translation>规划取其在所有上下文上之和所能找到的最大者。</translation>
    </message>
    <message>
        <source>%1 (%2): %3</source>
        <translation>%1（%2）：%3</translation>
    </message>
    <message>
        <source>Enter applies it.</source>
        <translation>按 Enter 应用。</translation>
    </message>
    <message>
        <source>Formula of the utility</source>
        <translation>效用公式</translation>
    </message>
    <message>
        <source>What is wrong with the formula</source>
        <translation>公式的错误</translation>
    </message>
    <message>
        <source>Formula by context</source>
        <translation>各上下文的公式值</translation>
    </message>
    <message>
        <source>Operators: %1</source>
        <translation>运算符：%1</translation>
    </message>
    <message>
        <source>Functions: %1</source>
        <translation>函数：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::FrontierChart</name>
    <message>
        <source>Mean TTFT versus mean answer quality; arrow keys move between points</source>
        <translation>平均 TTFT 与平均回答质量；方向键在点之间移动</translation>
    </message>
    <message>
        <source>Frontier</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>Left and Right move along points and curves, Up and Down between them; Enter opens the run of a measured point.</source>
        <translation>左右键沿点和曲线移动，上下键在它们之间切换；Enter 打开实测点的运行。</translation>
    </message>
    <message>
        <source>Mean quality</source>
        <translation>平均质量</translation>
    </message>
    <message>
        <source>Mean quality (%1)</source>
        <translation>平均质量（%1）</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Mean TTFT without queueing (log scale)</source>
        <translation>不含排队的平均 TTFT（对数刻度）</translation>
    </message>
    <message>
        <source>Mean TTFT (log scale)</source>
        <translation>平均 TTFT（对数刻度）</translation>
    </message>
    <message>
        <source>TTFT (log scale)</source>
        <translation>TTFT（对数刻度）</translation>
    </message>
    <message>
        <source>No curve yet. It appears with the first profile.</source>
        <translation>还没有曲线。完成第一次剖析后即出现。</translation>
    </message>
    <message>
        <source>Show requests</source>
        <translation>显示请求</translation>
    </message>
    <message>
        <source>Open run</source>
        <translation>打开运行</translation>
    </message>
    <message>
        <source>Mean agreement with uncompressed (%1)</source>
        <translation>与未压缩结果的平均一致度（%1）</translation>
    </message>
    <message>
        <source>Agreement with uncompressed</source>
        <translation>与未压缩结果的一致度</translation>
    </message>
    <message>
        <source>Agreement</source>
        <translation>一致度</translation>
    </message>
</context>
<context>
    <name>kvantage::FrontierModel</name>
    <message>
        <source>%1 throttled to %2</source>
        <translation>%1 限速至 %2</translation>
    </message>
    <message>
        <source>budgets: %1</source>
        <translation>预算：%1</translation>
    </message>
    <message>
        <source>methods: all profiled ones</source>
        <translation>方法：所有已剖析的方法</translation>
    </message>
    <message>
        <source>methods: %1</source>
        <translation>方法：%1</translation>
    </message>
    <message>
        <source>removed: %1</source>
        <translation>移除：%1</translation>
    </message>
    <message>
        <source>max concurrency: %1</source>
        <translation>最大并发：%1</translation>
    </message>
    <message>
        <source>decode eviction: %1</source>
        <translation>解码时驱逐：%1</translation>
    </message>
    <message>
        <source>settings changed during this run; the last ones:</source>
        <translation>本次运行期间设置有更改；最后的设置：</translation>
    </message>
    <message>
        <source>prefill batch: %1</source>
        <translation>预填充批：%1</translation>
    </message>
    <message>
        <source>compute or load: %1</source>
        <translation>计算或加载：%1</translation>
    </message>
    <message>
        <source>decode options: %1</source>
        <translation>解码选项：%1</translation>
    </message>
    <message>
        <source>decode offload: %1</source>
        <translation>解码卸载：%1</translation>
    </message>
    <message>
        <source>speculation: %1</source>
        <translation>推测解码：%1</translation>
    </message>
    <message>
        <source>attend on quantized KV</source>
        <translation>直接在量化 KV 上计算注意力</translation>
    </message>
    <message>
        <source>matrix products: %1</source>
        <translation>矩阵乘积：%1</translation>
    </message>
    <message>
        <source>quality in plans: lower bound</source>
        <translation>规划所用质量：下界</translation>
    </message>
</context>
<context>
    <name>kvantage::FrontierNote</name>
    <message>
        <source>Point of the Frontier</source>
        <translation>前沿上的点</translation>
    </message>
    <message>
        <source>Open run</source>
        <translation>打开运行</translation>
    </message>
    <message>
        <source>Show the requests behind this point</source>
        <translation>显示该点对应的请求</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close this note (Esc)</source>
        <translation>关闭此说明（Esc）</translation>
    </message>
</context>
<context>
    <name>kvantage::FrontierPage</name>
    <message>
        <source>Frontier</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>族</translation>
    </message>
    <message>
        <source>Family filter</source>
        <translation>族筛选</translation>
    </message>
    <message>
        <source>Show only contexts of one family: curves, simulated and measured points</source>
        <translation>仅显示一个族的上下文：曲线、模拟点和实测点</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>解释</translation>
    </message>
    <message>
        <source>Explain placement changes between two α</source>
        <translation>解释两个 α 之间的放置变化</translation>
    </message>
    <message>
        <source>Show which contexts the policy places differently at the current α and at a second one</source>
        <translation>显示在当前 α 与第二个 α 下策略放置不同的上下文</translation>
    </message>
    <message>
        <source>At quality %1, %2 is faster than %3: %4 vs. %5</source>
        <translation>质量为 %1 时，%2 比 %3 快：%4 对 %5</translation>
    </message>
    <message>
        <source>%1 has quality %2 at %3; %4 does not reach this quality</source>
        <translation>%1 的质量为 %2，TTFT 为 %3；%4 达不到该质量</translation>
    </message>
    <message>
        <source>Use my model…</source>
        <translation>使用我的模型…</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Policies on the chart</source>
        <translation>图上的策略</translation>
    </message>
    <message>
        <source>Choose the policies that the chart shows</source>
        <translation>选择图上显示的策略</translation>
    </message>
    <message>
        <source>Targets</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Targets for quality and TTFT</source>
        <translation>质量与 TTFT 的目标</translation>
    </message>
    <message>
        <source>Set a quality to reach and a mean TTFT to keep, and find the cheapest plan for them</source>
        <translation>设置要达到的质量和要保持的平均 TTFT，并寻找成本最低的方案</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Runs on the chart</source>
        <translation>图上的运行</translation>
    </message>
    <message>
        <source>Pinned and earlier runs on the chart, and how measured points are split</source>
        <translation>图上固定的和之前的运行，以及测量点如何分段</translation>
    </message>
</context>
<context>
    <name>kvantage::FrontierTargets</name>
    <message>
        <source>α %1, %2, cost %3; predicted quality %4, mean TTFT %5 (p95 over requests %6)</source>
        <translation>α %1，%2，成本 %3；预测质量 %4，平均 TTFT %5（按请求的 p95 %6）</translation>
    </message>
    <message>
        <source>quality ≥ %1</source>
        <translation>质量 ≥ %1</translation>
    </message>
    <message>
        <source>mean TTFT ≤ %1</source>
        <translation>平均 TTFT ≤ %1</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 且 %2</translation>
    </message>
    <message>
        <source>No profile yet, so no prediction. Start the run.</source>
        <translation>尚无剖析结果，因此没有预测。请启动运行。</translation>
    </message>
    <message>
        <source>α has no effect on %1. Select evicpress in Controls.</source>
        <translation>α 对 %1 没有影响。请在“控制”中选择 evicpress。</translation>
    </message>
    <message>
        <source>Cheapest plan that meets %1: %2; plans tried: %3</source>
        <translation>满足 %1 的最低成本方案：%2；已尝试方案数：%3</translation>
    </message>
    <message>
        <source>No plan meets %1; plans tried: %2</source>
        <translation>没有方案满足 %1；已尝试方案数：%2</translation>
    </message>
    <message>
        <source>No plan meets %1; plans tried: %2. Nearest: %3</source>
        <translation>没有方案满足 %1；已尝试方案数：%2。最接近的：%3</translation>
    </message>
    <message>
        <source>cheapest plan: %1</source>
        <translation>最低成本方案：%1</translation>
    </message>
    <message>
        <source>Searching for the cheapest plan that meets %1…</source>
        <translation>正在搜索满足 %1 的最低成本方案…</translation>
    </message>
    <message>
        <source>No plan found that meets %1; search limit reached, plans tried: %2. Nearest: %3</source>
        <translation>未找到满足 %1 的方案；已达到搜索上限，已尝试方案数：%2。最接近的：%3</translation>
    </message>
    <message>
        <source>TTFT p95 ≤ %1</source>
        <translation>TTFT p95 ≤ %1</translation>
    </message>
</context>
<context>
    <name>kvantage::GroupedChart</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1
%2
published</source>
        <translation>%1
%2
论文公布</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>及另外 %n 条</numerusform>
        </translation>
    </message>
    <message>
        <source>Hover over a point to see its line</source>
        <translation>悬停在点上可查看其所属曲线</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 区间</translation>
    </message>
    <message>
        <source>Bars: 95 % interval of the mean</source>
        <translation>误差条：平均值的 95 % 区间</translation>
    </message>
    <message>
        <source>%1: published by the paper</source>
        <translation>%1：论文公布</translation>
    </message>
    <message>
        <source>Nothing to plot: no row has both values. See the table.</source>
        <translation>无可绘制内容：没有行同时具备两个值。请查看表格。</translation>
    </message>
    <message>
        <source>All lines are hidden. Click one in the legend to show it.</source>
        <translation>所有曲线都已隐藏。点击图例中的曲线可显示。</translation>
    </message>
    <message>
        <source>Pale band: %1</source>
        <translation>浅色带：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::HeadGrid</name>
    <message>
        <source>Kept share by layer and KV head</source>
        <translation>按层和 KV 头的保留比例</translation>
    </message>
    <message>
        <source>Kept share of the context&apos;s tokens per layer and KV head, in percent. Click a cell, a layer or a KV head to isolate it, the corner to show all. Arrow keys move; Home shows all.</source>
        <translation>上下文的 token 在各层和各 KV 头的保留比例，百分比。点击单元格、层或 KV 头可单独查看，点击角落显示全部。方向键移动；Home 显示全部。</translation>
    </message>
    <message>
        <source>all layers and KV heads</source>
        <translation>所有层和 KV 头</translation>
    </message>
    <message>
        <source>all layers</source>
        <translation>所有层</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>all KV heads</source>
        <translation>所有 KV 头</translation>
    </message>
    <message>
        <source>KV head %1</source>
        <translation>KV 头 %1</translation>
    </message>
    <message>
        <source>%1, %2: %3 of tokens kept (mean)</source>
        <translation>%1，%2：保留 %3 的 token（平均）</translation>
    </message>
    <message>
        <source>%1, %2: %3 of tokens kept</source>
        <translation>%1，%2：保留 %3 的 token</translation>
    </message>
</context>
<context>
    <name>kvantage::HeatMap</name>
    <message>
        <source>Sensitivity heat map</source>
        <translation>敏感度热图</translation>
    </message>
    <message>
        <source>Relative quality drop of each context at each removed fraction. Right-click or press the menu key for the table and export.</source>
        <translation>各上下文在各移除比例下的相对质量下降。右键单击或按菜单键可查看表格和导出。</translation>
    </message>
    <message>
        <source>Relative quality drop of each context at each removed fraction</source>
        <translation>各上下文在各移除比例下的相对质量下降</translation>
    </message>
    <message>
        <source>No profile yet. Quality is being profiled in the background.</source>
        <translation>尚无剖析结果。质量正在后台剖析。</translation>
    </message>
    <message>
        <source>drop</source>
        <translation>下降</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>%1 (%2), %3, %4 removed: no drop, as it is not profiled or its uncompressed quality is 0</source>
        <translation>%1（%2），%3，移除 %4：无下降值，因为未剖析或未压缩质量为 0</translation>
    </message>
    <message>
        <source>%1 (%2), %3, %4 removed: drop %5</source>
        <translation>%1（%2），%3，移除 %4：下降 %5</translation>
    </message>
    <message>
        <source>Show all columns, and rows in their own height (0, or double-click)</source>
        <translation>显示所有列，行恢复原高度（按 0 或双击）</translation>
    </message>
    <message>
        <source>contexts %1 to %2 of %3, %4 to %5 removed</source>
        <translation>上下文 %1 至 %2（共 %3 个），移除 %4 至 %5</translation>
    </message>
</context>
<context>
    <name>kvantage::HeldRunsModel</name>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>an earlier run of this window</source>
        <translation>此窗口的早前运行</translation>
    </message>
    <message>
        <source>is being read</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>differs from the present run in: %1</source>
        <translation>与当前运行的不同之处：%1</translation>
    </message>
    <message>
        <source>tags: %1</source>
        <translation>标签：%1</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>已显示</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>color %1</source>
        <translation>颜色 %1</translation>
    </message>
    <message>
        <source>Shown</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Color</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Differs in</source>
        <translation>不同之处</translation>
    </message>
    <message>
        <source>Whether the Frontier shows the run (Space)</source>
        <translation>前沿是否显示该运行（空格键）</translation>
    </message>
    <message>
        <source>Made from the settings that differ. Press F2 to give another name; clear it to get this one again.</source>
        <translation>由不同的设置生成。按 F2 另取名称；清空后恢复此名称。</translation>
    </message>
    <message>
        <source>Settings at the start of the run that differ from the present ones</source>
        <translation>运行开始时与当前不同的设置</translation>
    </message>
    <message>
        <source>Run %1 is not recorded and cannot be pinned. Start kvantage with --db FILE to record runs.</source>
        <translation>运行 %1 未被记录，无法固定。请使用 --db FILE 启动 kvantage 以记录运行。</translation>
    </message>
    <message>
        <source>Run %1 was not pinned: %2 runs are pinned to the Frontier already. Unpin one, then pin it.</source>
        <translation>运行 %1 未固定：前沿上已固定 %2 个运行。请先取消固定一个，再固定它。</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Color of the run on the Frontier; it stays as long as the run is pinned</source>
        <translation>该运行在前沿上的颜色；固定该运行期间不变</translation>
    </message>
</context>
<context>
    <name>kvantage::HeldRunsView</name>
    <message>
        <source>Runs on the Frontier beside the present one. Space shows or hides, F2 renames, Delete unpins.</source>
        <translation>前沿上与当前运行并列的运行。空格键显示或隐藏，F2 重命名，Delete 取消固定。</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Pin the selected earlier run, so that it stays on the Frontier</source>
        <translation>固定所选的早前运行，使其保留在前沿上</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Pinned runs</source>
        <translation>已固定的运行</translation>
    </message>
    <message>
        <source>Unpin the selected run from the Frontier (Delete)</source>
        <translation>将所选运行从前沿取消固定（Delete）</translation>
    </message>
    <message>
        <source>No runs are pinned. Pin runs in Runs; after Start, earlier runs of this window are here, too.</source>
        <translation>没有已固定的运行。请在“运行”中固定运行；按“开始”后，此窗口的早前运行也会列在这里。</translation>
    </message>
</context>
<context>
    <name>kvantage::HelpWindow</name>
    <message>
        <source>KVantage help</source>
        <translation>KVantage 帮助</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>使用指南</translation>
    </message>
    <message>
        <source>Glossary</source>
        <translation>术语表</translation>
    </message>
    <message>
        <source>Your own texts and data</source>
        <translation>自己的文本与数据</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Methods</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Codecs</source>
        <translation>编解码器</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>All pages</source>
        <translation>所有页面</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Back (Alt+Left)</source>
        <translation>上一页 (Alt+Left)</translation>
    </message>
    <message>
        <source>Find in this page</source>
        <translation>在本页中查找</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Not found in this page</source>
        <translation>本页中没有找到</translation>
    </message>
    <message>
        <source>Help page</source>
        <translation>帮助页面</translation>
    </message>
    <message>
        <source>Text of the page; Tab moves between its links, Enter follows one</source>
        <translation>页面文字；Tab 在其链接之间移动，Enter 打开链接</translation>
    </message>
    <message>
        <source>Pages of the help; arrow keys show them</source>
        <translation>帮助的各页；用方向键显示</translation>
    </message>
    <message>
        <source>Enter finds the next place, Shift+Enter the one before</source>
        <translation>Enter 查找下一处，Shift+Enter 查找上一处</translation>
    </message>
</context>
<context>
    <name>kvantage::HitRateChart</name>
    <message>
        <source>Hit rates</source>
        <translation>命中率</translation>
    </message>
    <message>
        <source>Requests served</source>
        <translation>已处理的请求</translation>
    </message>
    <message>
        <source>no requests yet</source>
        <translation>尚无请求</translation>
    </message>
    <message>
        <source>%1, request %2 overall: from %3
%4</source>
        <translation>%1，总第 %2 个请求：来自 %3
%4</translation>
    </message>
    <message>
        <source>%1 after %2 requests: %3 over the last %4, %5 since the start (measured)</source>
        <translation>%1，%2 个请求之后：最近 %4 个中 %3，自开始以来 %5（实测）</translation>
    </message>
    <message>
        <source>requests of the selected context</source>
        <translation>所选上下文的请求</translation>
    </message>
    <message>
        <source>%1: %2 over the last %3 requests, %4 since the start (measured)</source>
        <translation>%1：最近 %3 个请求中 %2，自开始以来 %4（实测）</translation>
    </message>
    <message>
        <source>last %1</source>
        <translation>最近 %1 个</translation>
    </message>
    <message>
        <source>Thick: over the last %1 requests</source>
        <translation>粗线：最近 %1 个请求</translation>
    </message>
    <message>
        <source>since start</source>
        <translation>自开始</translation>
    </message>
    <message>
        <source>Thin: since the start of the run</source>
        <translation>细线：自运行开始</translation>
    </message>
    <message>
        <source>Ticks: requests of the selected context, colored by source. Esc clears the selection.</source>
        <translation>刻度线：所选上下文的请求，颜色表示来源。按 Esc 清除选择。</translation>
    </message>
    <message>
        <source>No requests served yet. Rates appear once you press Start.</source>
        <translation>尚未处理请求。按下“开始”后会显示命中率。</translation>
    </message>
    <message>
        <source>after %1 requests: %2</source>
        <translation>%1 个请求后：%2</translation>
    </message>
    <message>
        <source>Hit rate</source>
        <translation>命中率</translation>
    </message>
</context>
<context>
    <name>kvantage::HitRatesDock</name>
    <message>
        <source>by requests</source>
        <translation>按请求</translation>
    </message>
    <message>
        <source>by tokens</source>
        <translation>按 token</translation>
    </message>
    <message>
        <source>by bytes</source>
        <translation>按字节</translation>
    </message>
    <message>
        <source>Hit rate measure</source>
        <translation>命中率度量</translation>
    </message>
    <message>
        <source>Hit rate in requests, in context tokens, or in bytes served</source>
        <translation>按请求、按上下文 token 或按所提供字节计算的命中率</translation>
    </message>
    <message>
        <source> requests</source>
        <translation> 个请求</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Length of the sliding window, in requests</source>
        <translation>滑动窗口长度，单位请求</translation>
    </message>
    <message>
        <source>Share of requests, tokens or bytes served from each tier (measured)</source>
        <translation>各层级服务的请求、token 或字节占比（实测）</translation>
    </message>
    <message>
        <source>Miss ratio of an LRU cache of any size on these requests (simulated), versus the budgets</source>
        <translation>任意大小的 LRU 缓存在这些请求上的未命中率（模拟），与预算对照</translation>
    </message>
    <message>
        <source>Rates</source>
        <translation>命中率</translation>
    </message>
    <message>
        <source>By size</source>
        <translation>按大小</translation>
    </message>
</context>
<context>
    <name>kvantage::ImportDialog</name>
    <message>
        <source>Import a data set</source>
        <translation>导入数据集</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n entry(s) in the format %2, whose fields are known.</source>
        <translation>
            <numerusform>%1：格式 %2 的 %n 个条目，其字段是已知的。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n entry(s). Choose the field of each part.</source>
        <translation>
            <numerusform>%1：%n 个条目。请为每个部分选择字段。</numerusform>
        </translation>
    </message>
    <message>
        <source>Contexts that are too long</source>
        <translation>过长的上下文</translation>
    </message>
    <message>
        <source>What happens to contexts that the model cannot serve with a question and an answer</source>
        <translation>对于模型无法连同问题和回答一起服务的上下文，如何处理</translation>
    </message>
    <message>
        <source>Split into parts</source>
        <translation>拆分为多个部分</translation>
    </message>
    <message>
        <source>Cut in the middle</source>
        <translation>从中间截断</translation>
    </message>
    <message>
        <source>Cut at the end</source>
        <translation>从末尾截断</translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation>略去</translation>
    </message>
    <message>
        <source>&amp;Import</source>
        <translation>导入(&amp;I)</translation>
    </message>
    <message>
        <source>Make a workload of this file, and offer to open it</source>
        <translation>用此文件生成工作负载，并询问是否打开</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>The text that questions are about</source>
        <translation>问题所针对的文本</translation>
    </message>
    <message>
        <source>What is asked; a list asks several questions</source>
        <translation>所提的问题；列表表示多个问题</translation>
    </message>
    <message>
        <source>Reference answers; without them the answer with the full KV cache is the reference</source>
        <translation>参考答案；没有时以完整 KV 缓存的回答为参考</translation>
    </message>
    <message>
        <source>Options of a multiple-choice question</source>
        <translation>选择题的选项</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>First entry</source>
        <translation>第一个条目</translation>
    </message>
    <message>
        <source>The fields of the file and the beginnings of their texts in the first entry</source>
        <translation>文件的字段及其文本在第一个条目中的开头</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>No field is chosen for the context.</source>
        <translation>未为上下文选择字段。</translation>
    </message>
    <message>
        <source>No field is chosen for the question: questions are generated.</source>
        <translation>未为问题选择字段：问题将自动生成。</translation>
    </message>
    <message>
        <source>Importing…</source>
        <translation>正在导入…</translation>
    </message>
</context>
<context>
    <name>kvantage::ImportPreview</name>
    <message>
        <source>Data set</source>
        <translation>数据集</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Removed fraction</source>
        <translation>移除比例</translation>
    </message>
    <message>
        <source>Kept fraction</source>
        <translation>保留比例</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Questions (n)</source>
        <translation>问题数 (n)</translation>
    </message>
    <message>
        <source>95 % from</source>
        <translation>95 % 下限</translation>
    </message>
    <message>
        <source>95 % to</source>
        <translation>95 % 上限</translation>
    </message>
    <message>
        <source>Share of bytes kept</source>
        <translation>保留的字节比例</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation>导入 %1</translation>
    </message>
    <message>
        <source>Data set of all rows</source>
        <translation>所有行的数据集</translation>
    </message>
    <message>
        <source>Name of the data set, where the file names none</source>
        <translation>文件未给出时的数据集名称</translation>
    </message>
    <message>
        <source>Method of all rows</source>
        <translation>所有行的方法</translation>
    </message>
    <message>
        <source>Method that was measured, where the file names none, e.g. snapkv</source>
        <translation>文件未给出时所测量的方法，例如 snapkv</translation>
    </message>
    <message>
        <source>Removed in all rows</source>
        <translation>所有行的移除比例</translation>
    </message>
    <message>
        <source>Removed share of the tokens, from 0 up to but not including 1</source>
        <translation>移除的 token 比例，从 0 到小于 1</translation>
    </message>
    <message>
        <source>Model that was measured, where the file does not say</source>
        <translation>文件未说明时所测量的模型</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Metric of kvpress to take, where there are several</source>
        <translation>有多个时采用的 kvpress 指标</translation>
    </message>
    <message>
        <source>What the import makes</source>
        <translation>导入的结果</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Shows the curves, labeled imported with their source</source>
        <translation>显示曲线，并标注为导入及其来源</translation>
    </message>
    <message>
        <source>Imports nothing</source>
        <translation>不导入</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Column: %1</source>
        <translation>列：%1</translation>
    </message>
    <message>
        <source>Column of the file that has it</source>
        <translation>文件中包含它的列</translation>
    </message>
    <message>
        <source>First rows of the file</source>
        <translation>文件的前几行</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Points: %1, data sets: %2, methods: %3</source>
        <translation>点：%1，数据集：%2，方法：%3</translation>
    </message>
</context>
<context>
    <name>kvantage::ImportedChart</name>
    <message>
        <source>Imported quality</source>
        <translation>导入的质量</translation>
    </message>
    <message>
        <source>Removed tokens (%)</source>
        <translation>移除的 token（%）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>uncompressed</source>
        <translation>未压缩</translation>
    </message>
    <message>
        <source>Uncompressed quality, imported: %1</source>
        <translation>未压缩质量，导入：%1</translation>
    </message>
    <message>
        <source>%1, %2 removed: quality %3</source>
        <translation>%1，移除 %2：质量 %3</translation>
    </message>
    <message>
        <source>95 %: %1 to %2</source>
        <translation>95 %：%1 至 %2</translation>
    </message>
    <message>
        <source>n = %1</source>
        <translation>n = %1</translation>
    </message>
    <message>
        <source>No curves are imported yet. Import a table, a folder of kvpress evaluations or a LongBench result file, or drop one here.</source>
        <translation>尚未导入曲线。导入表格、kvpress 评估文件夹或 LongBench 结果文件，或将其拖放到此处。</translation>
    </message>
    <message>
        <source>This data set has its uncompressed quality alone.</source>
        <translation>此数据集只有未压缩质量。</translation>
    </message>
    <message>
        <source>Quality (%1)</source>
        <translation>质量（%1）</translation>
    </message>
</context>
<context>
    <name>kvantage::ImportedCurves</name>
    <message>
        <source>%1 from %2 (digest %3, %4)</source>
        <translation>%1自 %2（摘要 %3，%4）</translation>
    </message>
    <message>
        <source>no date</source>
        <translation>无日期</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, quality divided by %2</source>
        <translation>%1，质量除以 %2</translation>
    </message>
</context>
<context>
    <name>kvantage::ImportedPage</name>
    <message>
        <source>Import file…</source>
        <translation>导入文件…</translation>
    </message>
    <message>
        <source>Import folder…</source>
        <translation>导入文件夹…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Quality curves of others: a table (CSV, JSON), a LongBench result.json or an imported profile</source>
        <translation>他人的质量曲线：表格（CSV、JSON）、LongBench result.json 或导入的 profile</translation>
    </message>
    <message>
        <source>Quality curves of others: a folder of kvpress evaluation results</source>
        <translation>他人的质量曲线：kvpress 评估结果文件夹</translation>
    </message>
    <message>
        <source>Takes the shown import out of the window; its file stays</source>
        <translation>从窗口中移除所示的导入；其文件保留</translation>
    </message>
    <message>
        <source>Imported profile</source>
        <translation>导入的 profile</translation>
    </message>
    <message>
        <source>Import whose curves are shown</source>
        <translation>显示其曲线的导入</translation>
    </message>
    <message>
        <source>Data set</source>
        <translation>数据集</translation>
    </message>
    <message>
        <source>Data set of the import</source>
        <translation>导入的数据集</translation>
    </message>
    <message>
        <source>Source of the imported curves</source>
        <translation>导入曲线的来源</translation>
    </message>
    <message>
        <source>Measured elsewhere: these curves enter no plan of this session</source>
        <translation>在别处测量：这些曲线不进入本会话的任何规划</translation>
    </message>
    <message>
        <source>Import folder</source>
        <translation>导入文件夹</translation>
    </message>
    <message>
        <source>Import file</source>
        <translation>导入文件</translation>
    </message>
</context>
<context>
    <name>kvantage::KeepMapDock</name>
    <message>
        <source>(no second method)</source>
        <translation>（无第二方法）</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Context whose tokens are shown; follows the selection of the other views</source>
        <translation>显示其 token 的上下文；跟随其他视图的选择</translation>
    </message>
    <message>
        <source>Select a context</source>
        <translation>选择一个上下文</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Compression method. You can type a composed one, such as adakv(snapkv)+kivi4.</source>
        <translation>压缩方法。可输入组合方法，例如 adakv(snapkv)+kivi4。</translation>
    </message>
    <message>
        <source>Second method</source>
        <translation>第二方法</translation>
    </message>
    <message>
        <source>Method to compare with, at the same removed fraction</source>
        <translation>用于比较的方法，移除比例相同</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Question to answer from the full KV cache and from the kept entries</source>
        <translation>由完整 KV 缓存和保留条目回答的问题</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>One layer, or all: the share of layers and KV heads that keep a token</source>
        <translation>一层或所有层：保留某 token 的层和 KV 头的比例</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV 头</translation>
    </message>
    <message>
        <source>One KV head of each layer, or all</source>
        <translation>每层的一个 KV 头，或所有头</translation>
    </message>
    <message>
        <source>Removed fraction</source>
        <translation>移除比例</translation>
    </message>
    <message>
        <source>Removed share of the context&apos;s KV entries, in percent, averaged over KV heads. The map updates as you drag.</source>
        <translation>移除的上下文 KV 条目比例，百分比，为各 KV 头的平均值。拖动时图会更新。</translation>
    </message>
    <message>
        <source>removed %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>Kept share of KV entries over all layers and KV heads, and size of the stored cache including headers</source>
        <translation>所有层和 KV 头的 KV 条目保留比例，以及存储缓存的大小（含头部）</translation>
    </message>
    <message>
        <source>Kept tokens</source>
        <translation>保留的 token</translation>
    </message>
    <message>
        <source>Kept tokens, second method</source>
        <translation>保留的 token，第二方法</translation>
    </message>
    <message>
        <source>Darker: kept by more KV heads. Struck out: evicted in every head. Hover over a token for its score; arrow, Home, End and Page keys move between tokens.</source>
        <translation>颜色越深：保留它的 KV 头越多。删除线：在所有头中都被驱逐。悬停在 token 上可查看其分数；方向键、Home、End 和翻页键在 token 之间移动。</translation>
    </message>
    <message>
        <source>Kept share by layer and KV head, second method</source>
        <translation>按层和 KV 头的保留比例，第二方法</translation>
    </message>
    <message>
        <source>Keep map</source>
        <translation>保留图</translation>
    </message>
    <message>
        <source>Keep map, second method</source>
        <translation>保留图，第二方法</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Greedy answers from the full KV cache and from the kept entries; differences are highlighted. F1: word overlap with the reference answer, 0 to 1</source>
        <translation>由完整 KV 缓存和保留条目经贪心解码得到的回答；差异会高亮。F1：与参考答案的词重叠，0 到 1</translation>
    </message>
    <message>
        <source>Keep map progress</source>
        <translation>保留图进度</translation>
    </message>
    <message>
        <source>Source of this keep map</source>
        <translation>该保留图的来源</translation>
    </message>
    <message>
        <source>The text comes from the open workload, whose tokens are identical</source>
        <translation>文本来自已打开的工作负载，其 token 完全相同</translation>
    </message>
    <message>
        <source>(no question)</source>
        <translation>（无问题）</translation>
    </message>
    <message>
        <source>all layers</source>
        <translation>所有层</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>all KV heads</source>
        <translation>所有 KV 头</translation>
    </message>
    <message>
        <source>KV head %1</source>
        <translation>KV 头 %1</translation>
    </message>
    <message>
        <source>Counted over the selected layers and KV heads</source>
        <translation>按所选层和 KV 头计数</translation>
    </message>
    <message numerus="yes">
        <source>kept in all %n KV head(s)</source>
        <translation>
            <numerusform>在全部 %n 个 KV 头中保留</numerusform>
        </translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>kept in half</source>
        <translation>在一半中保留</translation>
    </message>
    <message>
        <source>struck out: evicted in every head</source>
        <translation>删除线：在所有头中都被驱逐</translation>
    </message>
    <message>
        <source>struck out: evicted</source>
        <translation>删除线：已驱逐</translation>
    </message>
    <message>
        <source>removes no tokens</source>
        <translation>不移除 token</translation>
    </message>
</context>
<context>
    <name>kvantage::KeepMapModel</name>
    <message>
        <source>recomputed on the live model, as recorded runs store no tokens</source>
        <translation>在实时模型上重新计算，因为记录的运行不保存 token</translation>
    </message>
    <message>
        <source>Open the workload of that run with the same model to see its tokens.</source>
        <translation>请用相同的模型打开该运行的工作负载，以查看其 token。</translation>
    </message>
    <message>
        <source>Open the workload %1 with the same model to see its tokens.</source>
        <translation>请用相同的模型打开工作负载 %1，以查看其 token。</translation>
    </message>
    <message>
        <source>The text of %1 is not recorded with the run, and no engine is open. %2</source>
        <translation>%1 的文本未随运行记录，且没有打开引擎。%2</translation>
    </message>
    <message>
        <source>%1 has a different text or model in the open workload, and the run records neither. %2</source>
        <translation>%1 在已打开的工作负载中文本或模型不同，而该运行两者都没有记录。%2</translation>
    </message>
    <message>
        <source>%1 is not in the open workload, and its text is not recorded with the run. %2</source>
        <translation>%1 不在已打开的工作负载中，其文本也未随运行记录。%2</translation>
    </message>
    <message>
        <source>“%1”, position %2
%3: kept in %4 of 1 KV head, score %5</source>
        <translation>“%1”，位置 %2
%3：在 1 个 KV 头中的 %4 个保留，分数 %5</translation>
    </message>
    <message numerus="yes">
        <source>“%1”, position %2
%3: kept in %4 of %n KV heads, mean score %5</source>
        <translation>
            <numerusform>“%1”，位置 %2
%3：在 %n 个 KV 头中的 %4 个保留，平均分数 %5</numerusform>
        </translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>%1 keeps %2 of KV entries (%3 of %4)</source>
        <translation>%1 保留 %2 的 KV 条目（%4 中的 %3）</translation>
    </message>
    <message>
        <source>No engine is open. Open a workload to see which tokens of a context a method keeps.</source>
        <translation>没有打开引擎。请打开工作负载，查看某方法保留上下文的哪些 token。</translation>
    </message>
    <message>
        <source>Select a context above, or in Contexts, Requests or Sensitivity, to see which tokens a method keeps.</source>
        <translation>在上方或在“上下文”“请求”“敏感度”中选择一个上下文，查看某方法保留哪些 token。</translation>
    </message>
    <message>
        <source>The engine is loading.</source>
        <translation>引擎正在加载。</translation>
    </message>
    <message>
        <source>Waiting for the engine…</source>
        <translation>正在等待引擎……</translation>
    </message>
</context>
<context>
    <name>kvantage::LearnPage</name>
    <message>
        <source>Documentation</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>使用指南</translation>
    </message>
    <message>
        <source>Glossary</source>
        <translation>术语表</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Guided tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Five steps, from α to a changed Frontier</source>
        <translation>五个步骤，从 α 到变化的前沿</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Print handout…</source>
        <translation>打印讲义…</translation>
    </message>
    <message>
        <source>Print handout of “%1”</source>
        <translation>打印“%1”的讲义</translation>
    </message>
    <message>
        <source>Printable lesson with its steps, lines to fill in, and the answers, as PDF or HTML</source>
        <translation>可打印的课程，含各步骤、供填写的横线以及答案，PDF 或 HTML</translation>
    </message>
    <message>
        <source>Text of the documentation; Tab moves between its links, Enter follows one</source>
        <translation>文档文字；Tab 在其链接之间移动，Enter 打开链接</translation>
    </message>
</context>
<context>
    <name>kvantage::LegendStrip</name>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Legend; click an entry to hide or show its series</source>
        <translation>图例；点击条目可隐藏或显示其系列</translation>
    </message>
    <message>
        <source>Click to show</source>
        <translation>点击显示</translation>
    </message>
    <message>
        <source>Click to hide</source>
        <translation>点击隐藏</translation>
    </message>
</context>
<context>
    <name>kvantage::LessonPredictions</name>
    <message>
        <source>✓ Right</source>
        <translation>✓ 正确</translation>
    </message>
    <message>
        <source>off by a factor of %1</source>
        <translation>相差 %1 倍</translation>
    </message>
    <message>
        <source>off by %1 (%2 of the result)</source>
        <translation>相差 %1（结果的 %2）</translation>
    </message>
    <message>
        <source>off by %1</source>
        <translation>相差 %1</translation>
    </message>
    <message>
        <source>✓ Right: %1, and up to %2 counts</source>
        <translation>✓ 正确：%1，不超过 %2 即算正确</translation>
    </message>
    <message>
        <source>Skipped: no prediction was committed.</source>
        <translation>已跳过：没有提交预测。</translation>
    </message>
    <message>
        <source>Your prediction: %1</source>
        <translation>自己的预测：%1</translation>
    </message>
    <message>
        <source>No result yet</source>
        <translation>还没有结果</translation>
    </message>
    <message>
        <source>Result: %1 (%2, n = %3)</source>
        <translation>结果：%1（%2，n = %3）</translation>
    </message>
    <message>
        <source>Result: %1 (%2)</source>
        <translation>结果：%1（%2）</translation>
    </message>
    <message>
        <source>%1 of %2 right</source>
        <translation>%2 个中 %1 个正确</translation>
    </message>
    <message>
        <source>, %1 skipped</source>
        <translation>，跳过 %1 个</translation>
    </message>
    <message>
        <source>, %1 without a result</source>
        <translation>，%1 个没有结果</translation>
    </message>
    <message>
        <source>Not asked</source>
        <translation>未提问</translation>
    </message>
    <message>
        <source>✗ Wrong</source>
        <translation>✗ 不正确</translation>
    </message>
    <message>
        <source>✗ Wrong; the result says: %1</source>
        <translation>✗ 不正确；结果为：%1</translation>
    </message>
    <message>
        <source>✗ Wrong: %1, and up to %2 counts</source>
        <translation>✗ 不正确：%1，不超过 %2 才算正确</translation>
    </message>
</context>
<context>
    <name>kvantage::LessonTools</name>
    <message>
        <source>S&amp;lide</source>
        <translation>幻灯片(&amp;L)</translation>
    </message>
    <message>
        <source>Full screen with one chart and one control in large type; Esc leaves</source>
        <translation>全屏以大字显示一个图表和一个控件；按 Esc 离开</translation>
    </message>
    <message>
        <source>&amp;Reset this step</source>
        <translation>重置此步骤(&amp;R)</translation>
    </message>
    <message>
        <source>Settings and controls as they were when this step of the lesson began</source>
        <translation>将设置和控件恢复为课程的此步骤开始时的状态</translation>
    </message>
    <message>
        <source>&amp;Copy link to this step</source>
        <translation>复制此步骤的链接(&amp;C)</translation>
    </message>
    <message>
        <source>A link that starts this lesson at this step</source>
        <translation>从此步骤开始本课程的链接</translation>
    </message>
    <message>
        <source>Reset this step</source>
        <translation>重置此步骤</translation>
    </message>
    <message>
        <source>More about this step</source>
        <translation>此步骤的更多操作</translation>
    </message>
    <message>
        <source>Link, handout, slide, and the steps that were shown</source>
        <translation>链接、讲义、幻灯片以及已显示的步骤</translation>
    </message>
    <message>
        <source>&amp;Go back to a step</source>
        <translation>返回某一步骤(&amp;G)</translation>
    </message>
    <message>
        <source>Print handout</source>
        <translation>打印讲义</translation>
    </message>
    <message>
        <source>Handouts (*.pdf *.html)</source>
        <translation>讲义 (*.pdf *.html)</translation>
    </message>
    <message>
        <source>Print &amp;handout…</source>
        <translation>打印讲义(&amp;H)…</translation>
    </message>
    <message>
        <source>Printable lesson with its charts as they are now, as PDF or HTML</source>
        <translation>可打印的课程，含其当前图表，PDF 或 HTML</translation>
    </message>
</context>
<context>
    <name>kvantage::Lessons</name>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>&amp;Leave lesson</source>
        <translation>离开课程(&amp;L)</translation>
    </message>
    <message>
        <source>Leave the lesson and restore your layout, settings and workload</source>
        <translation>离开课程并恢复布局、设置和工作负载</translation>
    </message>
    <message>
        <source>settings before the lesson</source>
        <translation>课程之前的设置</translation>
    </message>
    <message>
        <source>lesson “%1”</source>
        <translation>课程“%1”</translation>
    </message>
    <message>
        <source>lesson “%1” up to step %2</source>
        <translation>课程“%1”至步骤 %2</translation>
    </message>
    <message>
        <source>Hidden until you commit your prediction</source>
        <translation>提交预测后才显示</translation>
    </message>
    <message>
        <source>Your predictions</source>
        <translation>自己的预测</translation>
    </message>
</context>
<context>
    <name>kvantage::LogSlider</name>
    <message>
        <source>%1, number</source>
        <translation>%1，数值</translation>
    </message>
</context>
<context>
    <name>kvantage::MainWindow</name>
    <message>
        <source>Close the window</source>
        <translation>关闭窗口</translation>
    </message>
</context>
<context>
    <name>kvantage::MetricsPage</name>
    <message>
        <source>← Runs</source>
        <translation>← 运行</translation>
    </message>
    <message>
        <source>Back to the list of runs</source>
        <translation>返回运行列表</translation>
    </message>
    <message>
        <source>Back from the metrics to the list of runs</source>
        <translation>从指标返回运行列表</translation>
    </message>
    <message>
        <source>Filter metrics</source>
        <translation>筛选指标</translation>
    </message>
    <message>
        <source>Show only metrics that contain this text in any column, such as ttft, hit_rate or ssd</source>
        <translation>仅显示任一列中包含该文本的指标，如 ttft、hit_rate 或 ssd</translation>
    </message>
    <message>
        <source>Metrics of the selected runs</source>
        <translation>所选运行的指标</translation>
    </message>
    <message>
        <source>Every metric of the report. Hover over a row for its definition.</source>
        <translation>报告中的每个指标。悬停在行上可查看其定义。</translation>
    </message>
    <message>
        <source>Reading the run and computing its metrics…</source>
        <translation>正在读取运行并计算其指标……</translation>
    </message>
    <message>
        <source>No metric matches the filter. Clear the filter to see all.</source>
        <translation>没有匹配筛选条件的指标。清除筛选可查看全部。</translation>
    </message>
    <message>
        <source>No run is selected. Go back, select one and press Metrics.</source>
        <translation>未选择运行。请返回，选择一个并按“指标”。</translation>
    </message>
    <message>
        <source>Metrics of runs</source>
        <translation>运行的指标</translation>
    </message>
    <message>
        <source>Computing metrics and intervals…</source>
        <translation>正在计算指标和区间……</translation>
    </message>
</context>
<context>
    <name>kvantage::MissCurveChart</name>
    <message>
        <source>Miss ratio curve</source>
        <translation>未命中率曲线</translation>
    </message>
    <message>
        <source>Cache size (MiB, log scale)</source>
        <translation>缓存大小（MiB，对数刻度）</translation>
    </message>
    <message>
        <source>Miss ratio</source>
        <translation>未命中率</translation>
    </message>
    <message>
        <source>LRU</source>
        <translation>LRU</translation>
    </message>
    <message>
        <source>Requests that an LRU cache of this size would miss, with whole uncompressed caches and starting empty (%1)</source>
        <translation>该大小的 LRU 缓存会未命中的请求占比：缓存完整未压缩的 KV，从空缓存开始（%1）</translation>
    </message>
    <message>
        <source>from a sample: 1 in %1 contexts</source>
        <translation>来自抽样：每 %1 个上下文取 1 个</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>missed so far</source>
        <translation>至今未命中</translation>
    </message>
    <message>
        <source>Share of requests since the start that these tiers did not serve (%1). Below the line: policy or compression do better than LRU.</source>
        <translation>从开始至今这些层级未能服务的请求占比（%1）。低于曲线：策略或压缩优于 LRU。</translation>
    </message>
    <message>
        <source>%1, %2: LRU would miss %3 (%4)</source>
        <translation>%1，%2：LRU 会未命中 %3（%4）</translation>
    </message>
    <message>
        <source>missed since the start: %1 (%2)</source>
        <translation>从开始至今未命中：%1（%2）</translation>
    </message>
    <message>
        <source>From %1: LRU would miss %2 (%3)</source>
        <translation>从 %1 起：LRU 会未命中 %2（%3）</translation>
    </message>
    <message>
        <source>budgets</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>No requests served yet. The curve appears once a context is requested again.</source>
        <translation>尚未服务任何请求。有上下文被再次请求后，曲线就会出现。</translation>
    </message>
    <message>
        <source>Counting requests…</source>
        <translation>正在统计请求…</translation>
    </message>
    <message>
        <source>No context was requested twice yet: a cache of any size misses each request.</source>
        <translation>还没有上下文被请求两次：任何大小的缓存都会未命中每个请求。</translation>
    </message>
</context>
<context>
    <name>kvantage::ModelAdvice</name>
    <message>
        <source>Use my model</source>
        <translation>使用我的模型</translation>
    </message>
    <message>
        <source>KVantage reads Hugging Face folders and GGUF files of Llama, Mistral, Qwen2 and Qwen3 models, and folders of OPT models. It downloads nothing itself. Models to start with (sizes from their published configurations):</source>
        <translation>KVantage 可读取 Llama、Mistral、Qwen2 和 Qwen3 模型的 Hugging Face 文件夹与 GGUF 文件，以及 OPT 模型的文件夹。程序本身不下载任何内容。适合入门的模型（数据来自其公开配置）：</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Memory for weights</source>
        <translation>权重占用内存</translation>
    </message>
    <message>
        <source>KV cache per token</source>
        <translation>每 token 的 KV 缓存</translation>
    </message>
    <message>
        <source>Longest context</source>
        <translation>最长上下文</translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation>%1 B</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个 token</translation>
    </message>
    <message>
        <source>Weights stay in bf16 on this processor. The KV caches in the memory tiers come on top.</source>
        <translation>在此处理器上权重保持 bf16。另需加上内存层级中的 KV 缓存。</translation>
    </message>
    <message>
        <source>This processor does not multiply bf16, so weights are widened to fp32. The KV caches in the memory tiers come on top.</source>
        <translation>此处理器不支持 bf16 乘法，因此权重会扩展为 fp32。另需加上内存层级中的 KV 缓存。</translation>
    </message>
    <message>
        <source>Copy download command</source>
        <translation>复制下载命令</translation>
    </message>
    <message>
        <source>Open model page</source>
        <translation>打开模型页面</translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation>打开文件夹…</translation>
    </message>
    <message>
        <source>Open GGUF file…</source>
        <translation>打开 GGUF 文件…</translation>
    </message>
    <message>
        <source>Included with KVantage:</source>
        <translation>随 KVantage 附带：</translation>
    </message>
    <message>
        <source>Recommended models</source>
        <translation>推荐的模型</translation>
    </message>
    <message>
        <source>Models to start with; the buttons below act on the selected one</source>
        <translation>可从这些模型开始；下方按钮作用于所选模型</translation>
    </message>
    <message>
        <source>Show the page of the selected model in the browser</source>
        <translation>在浏览器中显示所选模型的页面</translation>
    </message>
    <message>
        <source>Serve a model from a Hugging Face folder</source>
        <translation>使用 Hugging Face 文件夹中的模型</translation>
    </message>
    <message>
        <source>Serve a model from a GGUF file</source>
        <translation>使用 GGUF 文件中的模型</translation>
    </message>
    <message>
        <source>Computed with:</source>
        <translation>计算方式：</translation>
    </message>
</context>
<context>
    <name>kvantage::ModelFactsTable</name>
    <message>
        <source>The free memory is not known.</source>
        <translation>空闲内存未知。</translation>
    </message>
    <message>
        <source>Loaded: needs %1 with this context, %2 are free.</source>
        <translation>已加载：此上下文需要 %1，空闲 %2。</translation>
    </message>
    <message>
        <source>Fits: needs %1, %2 are free.</source>
        <translation>可容纳：需要 %1，空闲 %2。</translation>
    </message>
    <message>
        <source>Does not fit: needs %1, %2 are free.</source>
        <translation>容纳不下：需要 %1，空闲 %2。</translation>
    </message>
    <message>
        <source>A context of %1 does not fit into the pool of KV blocks; the longest has %2.</source>
        <translation>%1的上下文放不进 KV 块的缓存池；最长为%2。</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>kvantage::ModelLibrary</name>
    <message>
        <source>cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>not read yet</source>
        <translation>尚未读取</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>可容纳</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>容纳不下</translation>
    </message>
    <message>
        <source>loaded, default model</source>
        <translation>已加载，默认模型</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>已加载</translation>
    </message>
    <message>
        <source>default model</source>
        <translation>默认模型</translation>
    </message>
    <message>
        <source>included</source>
        <translation>随程序提供</translation>
    </message>
    <message>
        <source>recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Hugging Face cache</source>
        <translation>Hugging Face 缓存</translation>
    </message>
    <message>
        <source>Name of the model; the loaded one is bold</source>
        <translation>模型名称；已加载的为粗体</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Where it comes from</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Bytes of its tensors on disk</source>
        <translation>其张量在磁盘上的字节数</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Whether weights, workspace and the KV cache of one context fit into the free memory</source>
        <translation>空闲内存能否容纳权重、工作区和一个上下文的 KV 缓存</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
</context>
<context>
    <name>kvantage::ModelLibraryPage</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The loaded model, the included ones, recent ones and those found in folders. Enter opens one.</source>
        <translation>已加载的、随附的、最近的以及在文件夹中找到的模型。按 Enter 打开。</translation>
    </message>
    <message>
        <source>No models. Add a folder that holds some, or drop one here.</source>
        <translation>没有模型。请添加含有模型的文件夹，或将模型拖放到此处。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Serve this workload with the selected model; the window asks first</source>
        <translation>用所选模型服务此工作负载；窗口会先询问</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Look for models in this folder and the folders below it</source>
        <translation>在此文件夹及其下级文件夹中查找模型</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>Read all models again</source>
        <translation>重新读取所有模型</translation>
    </message>
    <message>
        <source>Whether the model fits</source>
        <translation>模型能否容纳</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个 token</translation>
    </message>
    <message>
        <source>Context length</source>
        <translation>上下文长度</translation>
    </message>
    <message>
        <source>Tokens of the context whose KV cache is part of the estimate</source>
        <translation>其 KV 缓存计入估算的上下文的 token 数</translation>
    </message>
    <message>
        <source>Facts of the model</source>
        <translation>模型信息</translation>
    </message>
    <message>
        <source>What the selected model is, what it needs, and how fast it is here</source>
        <translation>所选模型是什么、需要什么，以及在本机上的速度</translation>
    </message>
    <message>
        <source>Folder to look for models in</source>
        <translation>要在其中查找模型的文件夹</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>No model selected</source>
        <translation>未选择模型</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>This window cannot read facts of models.</source>
        <translation>此窗口无法读取模型的信息。</translation>
    </message>
    <message>
        <source>Searched folders; choosing one removes it</source>
        <translation>查找的文件夹；选择其中一个即移除</translation>
    </message>
</context>
<context>
    <name>kvantage::OccupancyPlot</name>
    <message>
        <source>Occupancy of %1</source>
        <translation>%1 的占用</translation>
    </message>
    <message>
        <source>Occupancy of %1 over time by method, and placement actions. Right-click or press the menu key for the table and export.</source>
        <translation>%1 随时间的占用（按方法）及放置动作。右键单击或按菜单键可查看表格和导出。</translation>
    </message>
    <message>
        <source>Occupancy of %1 over time versus its budget, in bytes and s</source>
        <translation>%1 随时间的占用与其预算，单位字节和秒</translation>
    </message>
    <message>
        <source>%1 at %2: %3 of %4</source>
        <translation>%1，%2 时：%4 中的 %3</translation>
    </message>
    <message>
        <source>%1 at %2: %3</source>
        <translation>%1，%2 时：%3</translation>
    </message>
    <message>
        <source>uncompressed</source>
        <translation>未压缩</translation>
    </message>
    <message>
        <source>Click to select %1</source>
        <translation>点击选择 %1</translation>
    </message>
    <message>
        <source>occupancy</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>actions</source>
        <translation>动作</translation>
    </message>
    <message>
        <source>actions on the selected context</source>
        <translation>对所选上下文的动作</translation>
    </message>
    <message>
        <source>%1 of %2 (%3)</source>
        <translation>%1 / %2（%3）</translation>
    </message>
    <message>
        <source>nothing stored yet</source>
        <translation>尚未存储任何内容</translation>
    </message>
</context>
<context>
    <name>kvantage::OffloadControls</name>
    <message>
        <source>solved for each token</source>
        <translation>逐 token 求解</translation>
    </message>
    <message>
        <source>loading only</source>
        <translation>仅加载</translation>
    </message>
    <message>
        <source>recompute only</source>
        <translation>仅重算</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Tier of decode offload</source>
        <translation>解码卸载的层级</translation>
    </message>
    <message>
        <source>Split of decode offload</source>
        <translation>解码卸载的划分</translation>
    </message>
    <message>
        <source>How each layer&apos;s keys and values are obtained for a token: the first ones recomputed from layer inputs while
the rest loads, all loaded, or all recomputed. A split needs layer inputs shorter than keys and values.</source>
        <translation>每个 token 如何获得各层的键和值：前一部分从层输入重算，其余同时加载；
全部加载；或全部重算。划分要求层输入短于键和值。</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>layer inputs</source>
        <translation>层输入</translation>
    </message>
    <message>
        <source>keys and values</source>
        <translation>键和值</translation>
    </message>
    <message>
        <source>%1 resident</source>
        <translation>%1常驻</translation>
    </message>
    <message>
        <source>Front of decode offload that stays in memory</source>
        <translation>解码卸载中常驻内存的前部</translation>
    </message>
    <message>
        <source>What stays in memory of as many tokens as a split would recompute, so that nothing is read for them.
Layer inputs: KVPR&apos;s row schedule; keys and values are recomputed from them, on any model.
Keys and values: in the same bytes, to compare with.</source>
        <translation>与划分将重算的 token 数相同的部分留在内存中，无需为其读取任何数据。
层输入：KVPR 的按行调度；由其重算键和值，适用于任何模型。
键和值：占用相同字节，用于对比。</translation>
    </message>
    <message>
        <source>Codec of decode offload</source>
        <translation>解码卸载的编解码器</translation>
    </message>
    <message>
        <source>Encodes keys and values on the tier, so that fewer bytes are read. Answers may change.
It needs a split without layer inputs on the tier: loading only, or resident layer inputs.</source>
        <translation>对层级上的键和值编码，从而减少读取的字节。答案可能改变。
需要层级上不放层输入的划分方式：仅加载，或层输入常驻内存。</translation>
    </message>
    <message>
        <source>Resident</source>
        <translation>常驻</translation>
    </message>
    <message>
        <source>Codec</source>
        <translation>编解码</translation>
    </message>
    <message>
        <source>in memory</source>
        <translation>在内存中</translation>
    </message>
    <message>
        <source>streamed, W_K and W_V first</source>
        <translation>流式读取，先 W_K 和 W_V</translation>
    </message>
    <message>
        <source>streamed, all before recomputing</source>
        <translation>流式读取，全部到达后再重算</translation>
    </message>
    <message>
        <source>weights streamed</source>
        <translation>权重流式读取</translation>
    </message>
    <message>
        <source>Weights of decode offload</source>
        <translation>解码卸载的权重</translation>
    </message>
    <message>
        <source>Reads the model&apos;s matrices from the tier for every token, too, layer by layer. Prefills use those in memory.
W_K and W_V first: recomputation begins while the others arrive.</source>
        <translation>每个 token 也逐层从该层级读取模型的矩阵。预填充使用内存中的矩阵。
先 W_K 和 W_V：其余矩阵到达的同时开始重算。</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>layer by layer together</source>
        <translation>逐层一起</translation>
    </message>
    <message>
        <source>each on its own</source>
        <translation>各自进行</translation>
    </message>
    <message>
        <source>Requests side by side of decode offload</source>
        <translation>解码卸载的并行请求</translation>
    </message>
    <message>
        <source>How requests that answer at the same time decode.
Each on its own: it continues when its bytes have arrived.
Layer by layer together: KVPR&apos;s column-by-column order; streamed matrices of a layer are read once for all.</source>
        <translation>同时作答的请求如何解码。
各自进行：数据到达后即继续。
逐层一起：KVPR 的逐列顺序；一层的流式权重矩阵只为所有请求读取一次。</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批</translation>
    </message>
    <message>
        <source>KVPR: contexts are on this tier while their answers are decoded, and memory holds one layer at a time.
Each request prefills its context, to record the layer inputs of all its tokens. Stored entries are not read for this.
Without a codec, answers do not change.</source>
        <translation>KVPR：解码回答期间上下文位于此层级，内存中一次只有模型的一层。
每个请求都会预填充其上下文，以记录其所有 token 的层输入；不为此读取存储的条目。
没有编解码器时，回答不变。</translation>
    </message>
</context>
<context>
    <name>kvantage::OwnTextEdit</name>
    <message>
        <source>Paste a text here, or drop a text file.</source>
        <translation>在此粘贴文本，或拖入文本文件。</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>%1 is larger than %2. Use a part of it, or open it as a workload.</source>
        <translation>%1 大于 %2。请使用其中一部分，或将其作为工作负载打开。</translation>
    </message>
    <message>
        <source>%1 is not on this computer. Save it first, then drop the file.</source>
        <translation>%1 不在本机上。请先保存，再拖放文件。</translation>
    </message>
</context>
<context>
    <name>kvantage::PaperFormatDialog</name>
    <message>
        <source>Picture for a paper</source>
        <translation>论文插图</translation>
    </message>
    <message>
        <source>Width of the picture</source>
        <translation>插图宽度</translation>
    </message>
    <message>
        <source>Width of the picture on paper, in mm</source>
        <translation>插图在纸上的宽度，单位 mm</translation>
    </message>
    <message>
        <source>Font of the picture</source>
        <translation>插图字体</translation>
    </message>
    <message>
        <source>Font of all text in the picture</source>
        <translation>插图中全部文字的字体</translation>
    </message>
    <message>
        <source>Text size of the picture</source>
        <translation>插图字号</translation>
    </message>
    <message>
        <source>Size of axis labels, in points; other text in proportion</source>
        <translation>坐标轴标签的字号，单位磅；其他文字按比例</translation>
    </message>
    <message>
        <source>1 column (%1 mm)</source>
        <translation>单栏（%1 mm）</translation>
    </message>
    <message>
        <source>2 columns (%1 mm)</source>
        <translation>双栏（%1 mm）</translation>
    </message>
    <message>
        <source>as in the window</source>
        <translation>与窗口相同</translation>
    </message>
    <message>
        <source>%1 pt</source>
        <translation>%1 磅</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Font</source>
        <translation>字体</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>字号</translation>
    </message>
    <message>
        <source>PDF and PNG include the font. An SVG names it, and needs it where it is shown.</source>
        <translation>PDF 和 PNG 包含字体。SVG 只写明字体名称，显示时需要已安装该字体。</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Choose where to save the picture</source>
        <translation>选择插图的保存位置</translation>
    </message>
</context>
<context>
    <name>kvantage::PinnedTip</name>
    <message>
        <source>%1 … (click for more)</source>
        <translation>%1 …（单击查看更多）</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Esc closes this</source>
        <translation>按 Esc 关闭</translation>
    </message>
</context>
<context>
    <name>kvantage::PipelineDock</name>
    <message>
        <source>Request shown</source>
        <translation>所示请求</translation>
    </message>
    <message>
        <source>To first token</source>
        <translation>到首 token</translation>
    </message>
    <message>
        <source>Show the time up to the first answer token</source>
        <translation>显示到首个回答 token 为止的时间</translation>
    </message>
    <message>
        <source>Whole request</source>
        <translation>整个请求</translation>
    </message>
    <message>
        <source>Show the time up to the last answer token</source>
        <translation>显示到最后一个回答 token 为止的时间</translation>
    </message>
    <message>
        <source>Follow latest</source>
        <translation>跟随最新</translation>
    </message>
    <message>
        <source>Clear the selection and follow the latest request</source>
        <translation>清除选择并跟随最新请求</translation>
    </message>
    <message>
        <source>Span under the pointer or cursor</source>
        <translation>指针或光标处的跨度</translation>
    </message>
    <message>
        <source>TTFT breakdown</source>
        <translation>TTFT 分解</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
</context>
<context>
    <name>kvantage::PipelineModel</name>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>tier read</source>
        <translation>层级读取</translation>
    </message>
    <message>
        <source>unpack</source>
        <translation>解包</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>queueing</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>lookup</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>waiting for bytes</source>
        <translation>等待字节</translation>
    </message>
    <message>
        <source>context prefill</source>
        <translation>上下文预填充</translation>
    </message>
    <message>
        <source>question prefill</source>
        <translation>问题预填充</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Queueing, lookup, and stalls in which the model waits for bytes</source>
        <translation>排队、查找，以及模型等待字节的停顿</translation>
    </message>
    <message>
        <source>Unpacking of layers into blocks, dequantization included</source>
        <translation>将各层解包为块，含反量化</translation>
    </message>
    <message>
        <source>Layers that the model computes: context chunks, question, answer tokens</source>
        <translation>模型计算的层：上下文分块、问题、回答 token</translation>
    </message>
    <message>
        <source>Recorded runs have no request timelines. Go back to the live run.</source>
        <translation>已记录的运行没有请求时间线。请返回实时运行。</translation>
    </message>
    <message>
        <source>This session records no request timelines.</source>
        <translation>本会话不记录请求时间线。</translation>
    </message>
    <message>
        <source>No request timeline yet. It appears once you press Start.</source>
        <translation>尚无请求时间线。按下“开始”后会显示。</translation>
    </message>
    <message>
        <source>No request on %1 is answered yet.</source>
        <translation>尚无关于 %1 的请求得到回答。</translation>
    </message>
    <message>
        <source>Request #%1 is not answered yet.</source>
        <translation>请求 #%1 尚未得到回答。</translation>
    </message>
    <message>
        <source>The timeline of request #%1 is no longer in memory. Select a newer request, or clear the selection to follow the latest.</source>
        <translation>请求 #%1 的时间线已不在内存中。请选择较新的请求，或清除选择以跟随最新请求。</translation>
    </message>
    <message>
        <source>#%1 %2, prefilled</source>
        <translation>#%1 %2，已预填充</translation>
    </message>
    <message>
        <source>#%1 %2, from %3, %4</source>
        <translation>#%1 %2，来自 %3，%4</translation>
    </message>
    <message>
        <source>TTFT %1 (%2) = %3</source>
        <translation>TTFT %1（%2）= %3</translation>
    </message>
    <message>
        <source>tier read %1, %2 of it overlapped</source>
        <translation>层级读取 %1，其中 %2 被重叠</translation>
    </message>
    <message>
        <source>first %1 tokens of the context recomputed while the other %2 loaded</source>
        <translation>重算上下文的前 %1 个 token，同时加载其余 %2 个</translation>
    </message>
    <message>
        <source>all %1 tokens of the context recomputed, although it is stored</source>
        <translation>重算上下文的全部 %1 个 token，尽管它已存储</translation>
    </message>
    <message>
        <source>%1 to the first token, predicted %2, or %3 with loading only</source>
        <translation>到首 token %1，预测 %2，仅加载则为 %3</translation>
    </message>
    <message>
        <source>decoding %1</source>
        <translation>解码 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n later decoding span(s) not recorded</source>
        <translation>
            <numerusform>未记录之后的 %n 个解码跨度</numerusform>
        </translation>
    </message>
    <message>
        <source>Layer %1 of %2</source>
        <translation>第 %1 层，共 %2 层</translation>
    </message>
    <message numerus="yes">
        <source>chunk %1 of %n token(s)</source>
        <translation>
            <numerusform>分块 %1，%n 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>answer token %1</source>
        <translation>回答 token %1</translation>
    </message>
    <message>
        <source>all layers</source>
        <translation>所有层</translation>
    </message>
    <message numerus="yes">
        <source>batched with %n other request(s)</source>
        <translation>
            <numerusform>与另外 %n 个请求同批</numerusform>
        </translation>
    </message>
    <message>
        <source>header</source>
        <translation>头部</translation>
    </message>
    <message>
        <source>%1: %2, starting at %3</source>
        <translation>%1：%2，起始于 %3</translation>
    </message>
    <message>
        <source>segment %1</source>
        <translation>片段 %1</translation>
    </message>
    <message>
        <source>prompt eviction</source>
        <translation>提示驱逐</translation>
    </message>
    <message>
        <source>decode eviction %1: %2 KV entries evicted, peak %3</source>
        <translation>解码时驱逐 %1：驱逐 %2 个 KV 条目，峰值 %3</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>重算</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>tier</source>
        <translation>层级</translation>
    </message>
    <message>
        <source>tier write</source>
        <translation>层级写入</translation>
    </message>
    <message>
        <source>Tier read of each layer, on a thread of its own. With decode offload the context is packed and written to the slower tier before that.</source>
        <translation>各层的层级读取，在独立线程上。使用解码卸载时，此前先将上下文打包并写入较慢的层级。</translation>
    </message>
    <message>
        <source>context written to the tier in %1 (%2)</source>
        <translation>上下文写入层级用时 %1（%2）</translation>
    </message>
    <message>
        <source>waiting until it is written</source>
        <translation>等待写入完成</translation>
    </message>
    <message>
        <source>packing</source>
        <translation>打包</translation>
    </message>
    <message>
        <source>together with tokens of other requests: %1</source>
        <translation>同一步中其他请求的 token：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::PipelineView</name>
    <message>
        <source>Timeline of the request</source>
        <translation>请求的时间线</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>首 token</translation>
    </message>
    <message>
        <source>Zoom with the wheel, + or -, or Shift and drag; pan by dragging or with the arrow keys. 0 or a double-click resets. Home: up to the first token. End: the whole request. Ctrl+Left and Ctrl+Right move between spans; Esc leaves.</source>
        <translation>用滚轮、+ 或 -，或按住 Shift 拖动来缩放；拖动或用方向键平移。0 或双击重置。Home：到首 token。End：整个请求。Ctrl+左和 Ctrl+右在跨度之间移动；Esc 离开。</translation>
    </message>
</context>
<context>
    <name>kvantage::PointKeys</name>
    <message>
        <source>Arrow keys move between points, Page keys by ten. Enter acts like a click; Esc leaves.</source>
        <translation>方向键在点之间移动，翻页键每次十个。Enter 等同点击；Esc 离开。</translation>
    </message>
    <message>
        <source>%1; arrow keys move between points</source>
        <translation>%1；方向键在点之间移动</translation>
    </message>
</context>
<context>
    <name>kvantage::PolicyMenu</name>
    <message>
        <source>%1: predicted for every α (steady state)</source>
        <translation>%1：对每个 α 的预测（稳态）</translation>
    </message>
    <message>
        <source>%1: independent of α: one simulated point</source>
        <translation>%1：与 α 无关，一个模拟点</translation>
    </message>
    <message>
        <source>The current policy is always shown</source>
        <translation>当前策略始终显示</translation>
    </message>
</context>
<context>
    <name>kvantage::PoolChart</name>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>已用</translation>
    </message>
    <message>
        <source>Blocks in at least one block table</source>
        <translation>至少在一个块表中的块</translation>
    </message>
    <message>
        <source>held by requests</source>
        <translation>请求占用</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>Blocks in more than one block table</source>
        <translation>在多个块表中的块</translation>
    </message>
    <message>
        <source>Slots</source>
        <translation>槽位</translation>
    </message>
    <message>
        <source>live</source>
        <translation>有效</translation>
    </message>
    <message>
        <source>KV entries of requests in flight, over all layers and heads</source>
        <translation>运行中请求在所有层和头中的 KV 条目</translation>
    </message>
    <message>
        <source>dead</source>
        <translation>失效</translation>
    </message>
    <message>
        <source>Evicted KV entries whose block is not freed</source>
        <translation>已驱逐但所在块未释放的 KV 条目</translation>
    </message>
    <message>
        <source>Live slots in blocks of more than one block table</source>
        <translation>在多个块表所含块中的有效槽位</translation>
    </message>
    <message>
        <source>Budget occupancy</source>
        <translation>预算占用</translation>
    </message>
    <message>
        <source>Budget occupancy (%)</source>
        <translation>预算占用（%）</translation>
    </message>
    <message>
        <source>budget in use</source>
        <translation>已用预算</translation>
    </message>
    <message>
        <source>KV entries of requests with a decode budget, as a share of what their budgets allow</source>
        <translation>有解码预算的请求的 KV 条目占其预算的比例</translation>
    </message>
    <message>
        <source>KV entries evicted</source>
        <translation>已驱逐的 KV 条目</translation>
    </message>
    <message>
        <source>KV entries</source>
        <translation>KV 条目</translation>
    </message>
    <message>
        <source>evicted</source>
        <translation>已驱逐</translation>
    </message>
    <message>
        <source>KV entries evicted in this run</source>
        <translation>本次运行驱逐的 KV 条目</translation>
    </message>
    <message>
        <source>Blocks freed</source>
        <translation>已释放的块</translation>
    </message>
    <message>
        <source>by eviction</source>
        <translation>由驱逐</translation>
    </message>
    <message>
        <source>Blocks whose last KV entry was evicted, in this run</source>
        <translation>本次运行中最后一个 KV 条目被驱逐的块</translation>
    </message>
    <message>
        <source>by compaction</source>
        <translation>由压实</translation>
    </message>
    <message>
        <source>Blocks that compaction emptied in this run</source>
        <translation>本次运行中压实腾空的块</translation>
    </message>
    <message>
        <source>Compaction copies</source>
        <translation>压实复制</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>已移动</translation>
    </message>
    <message>
        <source>KV entries that compaction moved in this run</source>
        <translation>本次运行中压实移动的 KV 条目</translation>
    </message>
    <message>
        <source>Compaction passes</source>
        <translation>压实次数</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Compaction passes in this run</source>
        <translation>本次运行的压实次数</translation>
    </message>
    <message>
        <source>Time of eviction</source>
        <translation>驱逐用时</translation>
    </message>
    <message>
        <source>Time (ms)</source>
        <translation>用时（ms）</translation>
    </message>
    <message>
        <source>compaction</source>
        <translation>压实</translation>
    </message>
    <message>
        <source>Time of all compaction passes in this run, in ms</source>
        <translation>本次运行所有压实的用时，单位 ms</translation>
    </message>
    <message>
        <source>choosing</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Time of choosing what to evict in this run, in ms</source>
        <translation>本次运行选择驱逐对象的用时，单位 ms</translation>
    </message>
    <message>
        <source>Score buffer</source>
        <translation>分数缓冲区</translation>
    </message>
    <message>
        <source>Score buffer (KiB)</source>
        <translation>分数缓冲区（KiB）</translation>
    </message>
    <message>
        <source>score buffer</source>
        <translation>分数缓冲区</translation>
    </message>
    <message>
        <source>Maximum attention weights in memory for one answer, in KiB; 0 for methods that read none</source>
        <translation>一个回答在内存中的注意力权重的最大值，单位 KiB；不读取权重的方法为 0</translation>
    </message>
    <message>
        <source>Decoding step</source>
        <translation>解码步</translation>
    </message>
    <message>
        <source>Step (ms)</source>
        <translation>步（ms）</translation>
    </message>
    <message>
        <source>decoding step</source>
        <translation>解码步</translation>
    </message>
    <message>
        <source>Mean time to decode one token of all requests in flight, in ms</source>
        <translation>为所有运行中请求解码一个 token 的平均用时，单位 ms</translation>
    </message>
    <message numerus="yes">
        <source>request %1 on %2, after %3 tokens: %n block(s) freed, %4 KV entries moved in %5</source>
        <translation>
            <numerusform>请求 %1（%2），%3 个 token 之后：释放 %n 块，在 %5 内移动 %4 个 KV 条目</numerusform>
        </translation>
    </message>
    <message>
        <source>Pool over time</source>
        <translation>池随时间的变化</translation>
    </message>
    <message>
        <source>Time (s)</source>
        <translation>时间（秒）</translation>
    </message>
    <message>
        <source>compaction passes</source>
        <translation>压实</translation>
    </message>
    <message>
        <source>Ticks: compaction passes. Click one to select its request.</source>
        <translation>刻度：压实。单击一个可选中其请求。</translation>
    </message>
    <message>
        <source>%1 at %2: %3, %4 (measured)</source>
        <translation>%1，%2 时：%3，%4（实测）</translation>
    </message>
    <message>
        <source>No sample of the pool yet. Samples appear once you press Start.</source>
        <translation>尚无池的样本。按下“开始”后会显示。</translation>
    </message>
    <message>
        <source>Blocks in the caches of requests in flight; a shared block counts in each, so this can be more than is in use</source>
        <translation>运行中请求的缓存中的块；共享块在每个请求中都计数，因此可能多于使用中的块</translation>
    </message>
</context>
<context>
    <name>kvantage::PoolDock</name>
    <message>
        <source>Eviction</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>Which KV entry to evict when the sequence exceeds its budget</source>
        <translation>序列超出预算时驱逐哪个 KV 条目</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>压实</translation>
    </message>
    <message>
        <source>How free slots are compacted, every 16 decoded tokens</source>
        <translation>每解码 16 个 token，如何压实空闲槽位</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>Size of a block of the pool, in tokens</source>
        <translation>池中一个块的大小，单位 token</translation>
    </message>
    <message>
        <source>blocks of %1</source>
        <translation>每块 %1</translation>
    </message>
    <message>
        <source>budget </source>
        <translation>预算 </translation>
    </message>
    <message>
        <source>Token budget</source>
        <translation>Token 预算</translation>
    </message>
    <message>
        <source>Maximum length of the sequence after an eviction, in tokens</source>
        <translation>驱逐后序列的最大长度，单位 token</translation>
    </message>
    <message>
        <source>shared prompt</source>
        <translation>共享提示词</translation>
    </message>
    <message>
        <source>Shared prompt</source>
        <translation>共享提示词</translation>
    </message>
    <message>
        <source>Another sequence shares the prompt&apos;s blocks, so eviction does not free them and compaction skips them</source>
        <translation>另一序列共享提示词的块，因此驱逐不会释放它们，压实也会跳过它们</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>缓存池</translation>
    </message>
    <message>
        <source>Free blocks</source>
        <translation>空闲块</translation>
    </message>
    <message>
        <source>Share of the pool&apos;s blocks that no block table references</source>
        <translation>池中没有任何块表引用的块的比例</translation>
    </message>
    <message>
        <source>Pool statistics</source>
        <translation>缓存池统计</translation>
    </message>
    <message>
        <source>A real pool and a real eviction method; keys and values are random, not a model&apos;s.</source>
        <translation>真实的缓存池和真实的驱逐方法；键和值是随机的，不来自模型。</translation>
    </message>
    <message>
        <source>Previous step</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>next eviction</source>
        <translation>下次驱逐</translation>
    </message>
    <message>
        <source>Go to the next eviction</source>
        <translation>转到下次驱逐</translation>
    </message>
    <message>
        <source>next compaction</source>
        <translation>下次压实</translation>
    </message>
    <message>
        <source>Go to the next compaction</source>
        <translation>转到下次压实</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step of the walk-through: decoded token, eviction or compaction</source>
        <translation>演示的步骤：解码的 token、驱逐或压实</translation>
    </message>
    <message>
        <source>Preparing the walk-through…</source>
        <translation>正在准备演示……</translation>
    </message>
    <message>
        <source>No pool to walk through. Open a workload.</source>
        <translation>没有可演示的缓存池。请打开工作负载。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>live</source>
        <translation>有效</translation>
    </message>
    <message>
        <source>KV entry that the sequence uses</source>
        <translation>序列使用的 KV 条目</translation>
    </message>
    <message>
        <source>dead</source>
        <translation>失效</translation>
    </message>
    <message>
        <source>Evicted KV entry whose block is not freed</source>
        <translation>已驱逐但其块未释放的 KV 条目</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>In a block that two block tables reference</source>
        <translation>在被两个块表引用的块中</translation>
    </message>
    <message>
        <source>framed: just changed</source>
        <translation>加框：刚刚变化</translation>
    </message>
    <message>
        <source>Differs from the previous step</source>
        <translation>与上一步不同</translation>
    </message>
    <message>
        <source>This session</source>
        <translation>本会话</translation>
    </message>
    <message>
        <source>Step-through</source>
        <translation>逐步演示</translation>
    </message>
    <message>
        <source>The session&apos;s pool over time, and the compaction passes of its requests</source>
        <translation>会话的池随时间的变化，以及其请求的压实</translation>
    </message>
    <message>
        <source>A small pool, stepped through token by token</source>
        <translation>一个小池，逐个 token 演示</translation>
    </message>
</context>
<context>
    <name>kvantage::PoolGrid</name>
    <message>
        <source>Blocks of the pool</source>
        <translation>缓存池的块</translation>
    </message>
    <message>
        <source>Hover over a block for its KV entries. Right-click or press the menu key for the table and export.</source>
        <translation>悬停在块上可查看其 KV 条目。右键单击或按菜单键可查看表格和导出。</translation>
    </message>
    <message>
        <source>Blocks of a paged KV cache with live, dead and unused KV entries</source>
        <translation>分页 KV 缓存的块，含有效、失效和未使用的 KV 条目</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>row %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>%1 of %2 blocks</source>
        <translation>%1 / %2 个块</translation>
    </message>
</context>
<context>
    <name>kvantage::PoolWalkModel</name>
    <message>
        <source>Keeps the first four tokens and the newest ones; each new token evicts the oldest of the rest</source>
        <translation>保留前四个 token 和最新的 token；每个新 token 驱逐其余中最旧的</translation>
    </message>
    <message>
        <source>Unstructured, by key norm</source>
        <translation>非结构化，按键范数</translation>
    </message>
    <message>
        <source>Each new token evicts the KV entry with the largest key norm, in whatever block it is</source>
        <translation>每个新 token 驱逐键范数最大的 KV 条目，不论它在哪个块</translation>
    </message>
    <message>
        <source>Unstructured, KeyDiff</source>
        <translation>非结构化，KeyDiff</translation>
    </message>
    <message>
        <source>Each new token evicts the KV entry whose key is closest to the mean key</source>
        <translation>每个新 token 驱逐键最接近平均键的 KV 条目</translation>
    </message>
    <message>
        <source>Whenever a page is full, evicts the whole page with the lowest mean ||v|| / ||k||</source>
        <translation>每当一页写满，驱逐平均 ||v|| / ||k|| 最低的整页</translation>
    </message>
    <message>
        <source>no compaction</source>
        <translation>不压实</translation>
    </message>
    <message>
        <source>Free slots stay until the last KV entry of their block is evicted</source>
        <translation>空闲槽位保留到其块的最后一个 KV 条目被驱逐</translation>
    </message>
    <message>
        <source>repack</source>
        <translation>重新打包</translation>
    </message>
    <message>
        <source>Moves all survivors forward in logical order; many KV entries move</source>
        <translation>按逻辑顺序将所有幸存条目前移；移动许多 KV 条目</translation>
    </message>
    <message>
        <source>hole filling</source>
        <translation>填补空洞</translation>
    </message>
    <message>
        <source>Moves the newest KV entries into earlier free slots; few KV entries move</source>
        <translation>将最新的 KV 条目移入靠前的空闲槽位；移动少量 KV 条目</translation>
    </message>
    <message>
        <source>Block %1, free</source>
        <translation>块 %1，空闲</translation>
    </message>
    <message numerus="yes">
        <source>Block %1, in %n block table(s): %2 KV entries live, %3 dead, %4 unused</source>
        <translation>
            <numerusform>块 %1，在 %n 个块表中：%2 个 KV 条目有效，%3 个失效，%4 个未使用</numerusform>
        </translation>
    </message>
    <message>
        <source>this entry: token %1</source>
        <translation>此条目：token %1</translation>
    </message>
    <message>
        <source>%1 of %2 blocks free, %3 shared; %4 KV entries live, %5 dead; %6 fragmentation</source>
        <translation>%2 个块中 %1 个空闲，%3 个共享；%4 个 KV 条目有效，%5 个失效；碎片率 %6</translation>
    </message>
</context>
<context>
    <name>kvantage::PredictionPanel</name>
    <message>
        <source>Co&amp;mmit prediction</source>
        <translation>提交预测(&amp;M)</translation>
    </message>
    <message>
        <source>Select your prediction; commit it before you see the result</source>
        <translation>选择自己的预测；在看到结果之前提交</translation>
    </message>
    <message>
        <source>Commit prediction</source>
        <translation>提交预测</translation>
    </message>
    <message>
        <source>The result is shown afterwards; a committed prediction stays as it is</source>
        <translation>提交后才显示结果；已提交的预测不再改变</translation>
    </message>
    <message>
        <source>Your prediction</source>
        <translation>自己的预测</translation>
    </message>
    <message>
        <source>Your prediction: an α; click the curve of the Frontier to choose it, or type it</source>
        <translation>自己的预测：一个 α；点击前沿的曲线来选择，或直接输入</translation>
    </message>
    <message>
        <source>Your prediction: a number from %1 to %2 %3</source>
        <translation>自己的预测：%1 到 %2 之间的数 %3</translation>
    </message>
    <message>
        <source>Predicted there: quality %1, TTFT %2</source>
        <translation>该处的预测：质量 %1，TTFT %2</translation>
    </message>
    <message>
        <source>The curve does not reach this α</source>
        <translation>曲线未到达此 α</translation>
    </message>
</context>
<context>
    <name>kvantage::ProductsBox</name>
    <message>
        <source>library products</source>
        <translation>库乘积</translation>
    </message>
    <message>
        <source>batch-invariant products</source>
        <translation>批不变乘积</translation>
    </message>
    <message>
        <source>Matrix products</source>
        <translation>矩阵乘积</translation>
    </message>
    <message>
        <source>Library: libtorch multiplies matrices on the CPU; the bits of a row depend on how many are computed with it.
Batch-invariant: KVantage multiplies them; a row has the same bits in any batch, so that requests prefill together (Prefill batch) and the answers of a profile are measured together.
On a CPU with AVX-512 bf16 these were 0.96 to 1.5 times as fast for up to 128 rows, 0.87 to 0.97 times for 512 (docs/performance-model.md).</source>
        <translation>库：由 libtorch 在 CPU 上计算矩阵乘积；一行的各位取决于与它一起计算的行数。
批不变：由 KVantage 计算；一行在任何批中各位都相同，因此请求可一起预填充（预填充批），剖析的回答可一起测量。
在支持 AVX-512 bf16 的 CPU 上，不超过 128 行时速度为前者的 0.96 至 1.5 倍，512 行时为 0.87 至 0.97 倍（docs/performance-model.md）。</translation>
    </message>
</context>
<context>
    <name>kvantage::ProfilingControls</name>
    <message>
        <source>Profiling</source>
        <translation>剖析</translation>
    </message>
    <message>
        <source>every cell</source>
        <translation>每个单元</translation>
    </message>
    <message>
        <source>anytime</source>
        <translation>随时</translation>
    </message>
    <message>
        <source>Quality curves</source>
        <translation>质量曲线</translation>
    </message>
    <message>
        <source>Every cell: each method and removed fraction on every profile question.
Anytime: a coarse curve of every context first, then what plans depend on, until it is good enough.</source>
        <translation>每个单元：每种方法与每个移除比例，均在全部剖析问题上测量。
随时：先为每个上下文得到粗略曲线，再测量规划所依赖的部分，直到足够好。</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>lower bound</source>
        <translation>下界</translation>
    </message>
    <message>
        <source>Quality in plans</source>
        <translation>规划所用质量</translation>
    </message>
    <message>
        <source>Lower bound: plans take the lower end of the 95 % interval of each quality, so that few answers count for less than many.</source>
        <translation>下界：规划取每个质量 95 % 区间的下端，因此少量回答的分量小于大量回答。</translation>
    </message>
    <message>
        <source>quality curves: %1</source>
        <translation>质量曲线：%1</translation>
    </message>
    <message>
        <source>quality in plans: %1</source>
        <translation>规划所用质量：%1</translation>
    </message>
    <message>
        <source> %</source>
        <translation>%</translation>
    </message>
    <message>
        <source>Good enough</source>
        <translation>足够好</translation>
    </message>
    <message>
        <source>Anytime profiling ends when more answers could raise the utility of the plan by no more than this,
in percent of it, with 95 % confidence (default: 1). 0: it measures all that a plan can depend on.</source>
        <translation>当更多回答最多只能使方案效用提高这么多（占效用的百分比，95 % 置信度，默认：1）时，
随时剖析结束。0：测量方案可能依赖的一切。</translation>
    </message>
    <message>
        <source>good enough: %1</source>
        <translation>足够好：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::QualityCurveChart</name>
    <message>
        <source>%1 (95 %: %2 to %3, n = %4)</source>
        <translation>%1（95 %：%2 至 %3，n = %4）</translation>
    </message>
    <message>
        <source>Quality of one context</source>
        <translation>单个上下文的质量</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>%1: measured on the profile questions; band: 95 % interval</source>
        <translation>%1：在剖析问题上实测；色带：95 % 区间</translation>
    </message>
    <message>
        <source>95 % interval of the measured mean</source>
        <translation>实测平均值的 95 % 区间</translation>
    </message>
    <message>
        <source>current choice</source>
        <translation>当前选择</translation>
    </message>
    <message>
        <source>The policy&apos;s current choice for this context</source>
        <translation>策略对该上下文的当前选择</translation>
    </message>
    <message>
        <source>uncompressed</source>
        <translation>未压缩</translation>
    </message>
    <message>
        <source>Long dashes: reuse without compression, %1</source>
        <translation>长虚线：不压缩复用，%1</translation>
    </message>
    <message>
        <source>chance</source>
        <translation>随机水平</translation>
    </message>
    <message>
        <source>Short dashes: chance level, the score of an answer to another question of the family, %1</source>
        <translation>短虚线：随机水平，即用同族另一问题的回答所得的分数，%1</translation>
    </message>
    <message>
        <source>Stored bytes (MiB)</source>
        <translation>存储字节（MiB）</translation>
    </message>
    <message>
        <source>Removed tokens (%)</source>
        <translation>移除的 token（%）</translation>
    </message>
    <message>
        <source>uncompressed %1</source>
        <translation>未压缩 %1</translation>
    </message>
    <message>
        <source>chance level %1</source>
        <translation>随机水平 %1</translation>
    </message>
    <message>
        <source>the policy&apos;s current choice</source>
        <translation>策略的当前选择</translation>
    </message>
    <message>
        <source>%1
quality %2 (95 %: %3 to %4, n = %5)
%6 stored%7
Click to select %8</source>
        <translation>%1
质量 %2（95 %：%3 至 %4，n = %5）
已存储 %6%7
点击选择 %8</translation>
    </message>
    <message>
        <source>This context has not been profiled yet.</source>
        <translation>该上下文尚未剖析。</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 区间</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>pooled from similar contexts</source>
        <translation>由相似上下文合并估计</translation>
    </message>
</context>
<context>
    <name>kvantage::ReadingCheck</name>
    <message>
        <source>This model cannot read this text: with the full KV cache it continues only %1 % of it correctly, so quality shows how soon answers change, not how good they are.</source>
        <translation>此模型读不懂这段文本：即使使用完整的 KV 缓存也只能正确续写其中的 %1 %，因此质量表示的是答案多快开始变化，而不是答案有多好。</translation>
    </message>
    <message>
        <source>This model cannot answer these questions: with the full KV cache it scores %1 (chance %2), so quality shows how soon answers change, not how good they are.</source>
        <translation>此模型答不出这些问题：即使使用完整的 KV 缓存也只得 %1 分（随机水平 %2），因此质量表示的是答案多快开始变化，而不是答案有多好。</translation>
    </message>
    <message>
        <source>This model cannot read this text: with the full KV cache it continues none of it correctly, so quality shows how soon answers change, not how good they are.</source>
        <translation>此模型无法读懂这些文本：使用完整 KV 缓存时，它没有一处能正确续写，因此质量反映答案多快开始变化，而不是答案有多好。</translation>
    </message>
</context>
<context>
    <name>kvantage::RegimeControls</name>
    <message>
        <source>unlimited</source>
        <translation>无限制</translation>
    </message>
    <message>
        <source>%1 × median prefill</source>
        <translation>%1 × 预填充中位数</translation>
    </message>
    <message>
        <source>%1 × median %2 TTFT</source>
        <translation>%1 × %2 TTFT 中位数</translation>
    </message>
    <message>
        <source>%1 %2 ×</source>
        <translation>%1 %2 ×</translation>
    </message>
    <message>
        <source>%1 unlimited</source>
        <translation>%1 无限制</translation>
    </message>
    <message>
        <source>Budget of the fastest tier, in % of all contexts uncompressed. The others are multiples of it:</source>
        <translation>最快层级的预算，以所有未压缩上下文的百分比计。其余层级为它的倍数：</translation>
    </message>
    <message>
        <source>%1 has %2 tiers, this session %3. Start with a --tier option for each, or open a workload made by: kvantage-cli workload make --preset %1</source>
        <translation>%1 有 %2 个层级，本会话有 %3 个。请启动时为每个层级给出 --tier 选项，或打开由以下命令生成的工作负载：kvantage-cli workload make --preset %1</translation>
    </message>
    <message>
        <source>Prefill and tiers are not timed yet. Wait until the workload has loaded and all tiers are reachable.</source>
        <translation>预填充与层级尚未计时。请等待工作负载加载完成且所有层级均可访问。</translation>
    </message>
    <message>
        <source>Regime</source>
        <translation>范式</translation>
    </message>
    <message>
        <source>Apply regime</source>
        <translation>应用范式</translation>
    </message>
    <message>
        <source>A paper&apos;s regime: how much of the KV each tier holds, how long loads take beside prefill,
how requests come, and which alphas are tried. Verdicts about the paper hold in its regime only.</source>
        <translation>论文的范式：各层级容纳多少 KV、加载相对预填充的时长、
请求如何到达，以及尝试哪些 alpha。关于论文的判定仅在其范式内成立。</translation>
    </message>
    <message>
        <source>as set</source>
        <translation>按当前设置</translation>
    </message>
    <message>
        <source>Budget of the fastest tier</source>
        <translation>最快层级的预算</translation>
    </message>
    <message>
        <source>Alpha of the regime</source>
        <translation>范式的 alpha</translation>
    </message>
    <message>
        <source>α as a multiple of a median over all contexts: of the TTFT from the slowest tier,
uncompressed, or of the time of prefill</source>
        <translation>α，以所有上下文的某个中位数的倍数计：未压缩时从最慢层级加载的 TTFT，
或预填充时间</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Budgets in % of all contexts uncompressed, and seconds to load a token uncompressed / seconds to prefill it,
by the fits of this session, latency and unpacking included</source>
        <translation>预算以所有未压缩上下文的百分比计；以及加载一个未压缩 token 的秒数 / 预填充它的秒数，
由本会话的拟合得出，含延迟与解包</translation>
    </message>
    <message>
        <source>A verdict about the paper needs each of these numbers within 10 % of the regime&apos;s</source>
        <translation>关于论文的判定要求这些数值均与范式相差不超过 10 %</translation>
    </message>
    <message>
        <source>%1 % of all KV</source>
        <translation>全部 KV 的 %1 %</translation>
    </message>
    <message>
        <source>Regime: %1, %2 %3 %</source>
        <translation>范式：%1，%2 %3 %</translation>
    </message>
    <message>
        <source>The order of requests stays that of the workload. This regime&apos;s: each context once, then uniform.</source>
        <translation>请求顺序仍为工作负载的顺序。此范式的顺序：每个上下文一次，然后均匀。</translation>
    </message>
    <message>
        <source>The order of requests stays that of the workload. This regime&apos;s: uniform.</source>
        <translation>请求顺序仍为工作负载的顺序。此范式的顺序：均匀。</translation>
    </message>
    <message>
        <source>%1: %2 (regime: %3)</source>
        <translation>%1：%2（范式：%3）</translation>
    </message>
    <message>
        <source>Settings of a recorded run are read-only. Go back to the live run to apply a regime.</source>
        <translation>已记录运行的设置为只读。请返回实时运行以应用范式。</translation>
    </message>
    <message>
        <source>At the paper&apos;s scale (555 contexts, 80 GB of DRAM, 800 GB of SSD), simulated: Papers &gt; %1</source>
        <translation>按论文规模（555 个上下文、80 GB DRAM、800 GB SSD）的模拟：论文 &gt; %1</translation>
    </message>
    <message>
        <source>At the paper&apos;s scale (555 contexts), simulated: Papers &gt; %1, with budget %2</source>
        <translation>按论文规模（555 个上下文）的模拟：论文 &gt; %1，预算 %2</translation>
    </message>
    <message>
        <source>At the paper&apos;s scale (1,100 contexts, 100 GB of DRAM, 400 GB of SSD), simulated: Papers &gt; %1</source>
        <translation>论文规模（1,100 个上下文、100 GB DRAM、400 GB SSD）的模拟：论文 &gt; %1</translation>
    </message>
    <message>
        <source>Policy: %1. Stored contexts are loaded, never recomputed; no re-profiling.</source>
        <translation>策略：%1。已存储的上下文总是加载，从不重算；不重新剖析。</translation>
    </message>
    <message>
        <source>Sets budgets and bandwidths of all tiers, α, policy, candidates and arrival rate, and turns off recomputing
stored contexts and re-profiling, in one step of undo</source>
        <translation>设置所有层级的预算和带宽、α、策略、候选方案和到达率，并关闭已存储上下文的重算
和重新剖析，可一步撤销</translation>
    </message>
</context>
<context>
    <name>kvantage::ReplayController</name>
    <message>
        <source>eviction</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>re-profile</source>
        <translation>重新剖析</translation>
    </message>
    <message>
        <source>fault</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>setting change</source>
        <translation>设置变化</translation>
    </message>
    <message>
        <source>evictions</source>
        <translation>驱逐</translation>
    </message>
    <message>
        <source>re-profiles</source>
        <translation>重新剖析</translation>
    </message>
    <message>
        <source>faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>setting changes</source>
        <translation>设置变化</translation>
    </message>
    <message numerus="yes">
        <source>%n eviction(s)</source>
        <translation>
            <numerusform>%n 次驱逐</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n re-profile(s)</source>
        <translation>
            <numerusform>%n 次重新剖析</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n fault(s)</source>
        <translation>
            <numerusform>%n 次故障</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n setting change(s)</source>
        <translation>
            <numerusform>%n 次设置变化</numerusform>
        </translation>
    </message>
    <message>
        <source>This window has no run database. Start kvantage with --db FILE.</source>
        <translation>本窗口没有运行数据库。请以 --db FILE 启动 kvantage。</translation>
    </message>
    <message>
        <source>Settings of a recorded run are read-only. Go back to the live run, or re-run it with: kvantage-cli run --from %1</source>
        <translation>已记录运行的设置为只读。请返回实时运行，或用以下命令重新运行：kvantage-cli run --from %1</translation>
    </message>
</context>
<context>
    <name>kvantage::ReplayDock</name>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>Open a run file…</source>
        <translation>打开运行文件…</translation>
    </message>
    <message>
        <source>Open a run file</source>
        <translation>打开运行文件</translation>
    </message>
    <message>
        <source>Replay a run from an exported file without adding it to the list</source>
        <translation>回放导出文件中的运行，不将其加入列表</translation>
    </message>
    <message>
        <source>Reading the run…</source>
        <translation>正在读取运行……</translation>
    </message>
    <message>
        <source>Reading progress</source>
        <translation>读取进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel reading the run</source>
        <translation>取消读取运行</translation>
    </message>
    <message>
        <source>Stop loading and keep the current view</source>
        <translation>停止加载并保持当前视图</translation>
    </message>
    <message>
        <source>Back to live</source>
        <translation>返回实时</translation>
    </message>
    <message>
        <source>Return to the live run; the engine resumes</source>
        <translation>返回实时运行；引擎会继续</translation>
    </message>
    <message>
        <source>Time of the recorded run</source>
        <translation>所记录运行的时间</translation>
    </message>
    <message>
        <source>Time since the start of the run, in s. Drag to seek; Page Up and Page Down move by 5 %.</source>
        <translation>自运行开始的时间，单位 s。拖动可定位；Page Up 和 Page Down 移动 5 %。</translation>
    </message>
    <message>
        <source>Go to the previous mark</source>
        <translation>转到上一个标记</translation>
    </message>
    <message>
        <source>Previous event</source>
        <translation>上一事件</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Next event</source>
        <translation>下一事件</translation>
    </message>
    <message>
        <source>Go to the next mark</source>
        <translation>转到下一个标记</translation>
    </message>
    <message>
        <source>Mark type</source>
        <translation>标记类型</translation>
    </message>
    <message>
        <source>Type of mark to jump to</source>
        <translation>要跳转到的标记类型</translation>
    </message>
    <message>
        <source>all marks</source>
        <translation>所有标记</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Playback speed, as a multiple of real time</source>
        <translation>播放速度，为实际时间的倍数</translation>
    </message>
    <message>
        <source>Latest event</source>
        <translation>最新事件</translation>
    </message>
    <message>
        <source>Marks of the recorded run</source>
        <translation>所记录运行的标记</translation>
    </message>
    <message>
        <source>No run is being replayed. Select a run in Runs and press Replay, or open a run file. Every view then follows the time that you set here.</source>
        <translation>没有正在回放的运行。请在“运行”中选择一个运行并按“回放”，或打开运行文件。之后所有视图都跟随在此设定的时间。</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, %n request(s)</source>
        <translation>
            <numerusform>%1：%2，%n 个请求</numerusform>
        </translation>
    </message>
    <message>
        <source>no marks</source>
        <translation>没有标记</translation>
    </message>
    <message>
        <source>%1 of %2, event %3 of %4</source>
        <translation>%1 / %2，事件 %3 / %4</translation>
    </message>
    <message>
        <source>Before the first event</source>
        <translation>第一个事件之前</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Replay a run file</source>
        <translation>回放运行文件</translation>
    </message>
    <message>
        <source>Recorded runs (*.kvrun)</source>
        <translation>已记录的运行 (*.kvrun)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>kvantage::ReprofileControls</name>
    <message>
        <source>fixed quality</source>
        <translation>固定质量</translation>
    </message>
    <message>
        <source>share of profile</source>
        <translation>剖析结果的比例</translation>
    </message>
    <message>
        <source>difference from profile</source>
        <translation>与剖析结果的差值</translation>
    </message>
    <message>
        <source>A context has drifted when the quality of its answers (0 to 1) falls below this,
whatever its profile says</source>
        <translation>当上下文的回答质量（0 到 1）低于此值时即视为漂移，
无论其剖析结果如何</translation>
    </message>
    <message>
        <source>A context has drifted when the quality of its answers falls below its profile by more than this,
in percent of the profiled quality (default: 30)</source>
        <translation>回答质量低于剖析质量超过此值时，该上下文视为已漂移，
以剖析质量的百分比表示（默认：30）</translation>
    </message>
    <message>
        <source>A context has drifted when the quality of its answers falls below its profile by more than this,
as a difference of qualities (0 to 1)</source>
        <translation>当上下文的回答质量比其剖析结果低于此差值以上时即视为漂移，
以质量之差（0 到 1）计</translation>
    </message>
    <message>
        <source>drift threshold: quality %1</source>
        <translation>漂移阈值：质量 %1</translation>
    </message>
    <message>
        <source>drift threshold %1 %</source>
        <translation>漂移阈值 %1 %</translation>
    </message>
    <message>
        <source>drift threshold: %1 below profile</source>
        <translation>漂移阈值：比剖析结果低 %1</translation>
    </message>
    <message>
        <source>Drift rule</source>
        <translation>漂移规则</translation>
    </message>
    <message>
        <source>What the quality of answers is compared with. EvicPress can be read in these three ways (sections 4.1 and 4.3).</source>
        <translation>回答质量与什么比较。EvicPress 可按这三种方式理解（4.1 和 4.3 节）。</translation>
    </message>
    <message>
        <source>Drift threshold</source>
        <translation>漂移阈值</translation>
    </message>
    <message>
        <source>quality below </source>
        <translation>质量低于 </translation>
    </message>
    <message>
        <source> % below profile</source>
        <translation> % 低于剖析</translation>
    </message>
    <message>
        <source> below profile</source>
        <translation> 低于剖析结果</translation>
    </message>
    <message>
        <source>Assume loss until re-profiled</source>
        <translation>重新剖析前假定损失</translation>
    </message>
    <message>
        <source>Until a drifted context is re-profiled, plans assume that its compressed forms lost the share of quality
that its answers lost. Off: its curve stays until then.</source>
        <translation>在漂移的上下文重新剖析之前，计划假定其压缩形式损失了与其答案相同比例的质量。
关闭：在此之前保持其曲线。</translation>
    </message>
    <message>
        <source> % of busy time</source>
        <translation>% 忙碌时间</translation>
    </message>
    <message>
        <source>Share of re-profiling</source>
        <translation>重新剖析的占比</translation>
    </message>
    <message>
        <source>Maximum share of the engine&apos;s busy time for re-profiling, in percent (default: 5). At 0 drift is found,
but nothing is re-profiled; at 100 there is no limit.</source>
        <translation>重新剖析最多占引擎忙碌时间的百分比（默认：5）。为 0 时会发现漂移，
但不重新剖析；为 100 时没有限制。</translation>
    </message>
    <message>
        <source>Re-profiling</source>
        <translation>重新剖析</translation>
    </message>
</context>
<context>
    <name>kvantage::RequestsDock</name>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter requests</source>
        <translation>筛选请求</translation>
    </message>
    <message>
        <source>Show only requests whose question, answer, family or source contains this text</source>
        <translation>仅显示问题、回答、族或来源包含该文本的请求</translation>
    </message>
    <message>
        <source>Keep the newest request in view and show its details</source>
        <translation>保持最新请求可见并显示其详情</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>One row per request, newest last. TTFT excludes queueing.</source>
        <translation>每行一个请求，最新的在最后。TTFT 不含排队。</translation>
    </message>
    <message>
        <source>Request details</source>
        <translation>请求详情</translation>
    </message>
    <message>
        <source>Details of the selected request: question, answer, reference answer and TTFT breakdown</source>
        <translation>所选请求的详情：问题、回答、参考答案和 TTFT 分解</translation>
    </message>
    <message>
        <source>No requests yet. They appear once you press Start.</source>
        <translation>尚无请求。按下“开始”后会显示。</translation>
    </message>
    <message>
        <source>No request matches the filter. Clear the filter to see all.</source>
        <translation>没有匹配筛选条件的请求。清除筛选可查看全部。</translation>
    </message>
    <message>
        <source>Part of the TTFT, in s</source>
        <translation>TTFT 的组成部分，单位 s</translation>
    </message>
    <message>
        <source>Requests appear here as they arrive, once you press Start.</source>
        <translation>按下“开始”后，请求到达时会显示在此。</translation>
    </message>
    <message>
        <source>Select a request to see its answer and its TTFT breakdown.</source>
        <translation>选择一个请求，查看其回答和 TTFT 分解。</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Answer (running)</source>
        <translation>回答（运行中）</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Reference answer</source>
        <translation>参考答案</translation>
    </message>
    <message>
        <source>Answer with the full KV cache</source>
        <translation>完整 KV 缓存的回答</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>(predicted %1)</source>
        <translation>（预测 %1）</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>queueing</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>prefilled</source>
        <translation>已预填充</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>来自 %1</translation>
    </message>
    <message>
        <source>%1 of %2 tokens kept</source>
        <translation>保留 %2 个 token 中的 %1 个</translation>
    </message>
    <message>
        <source>%1 loaded</source>
        <translation>已加载 %1</translation>
    </message>
    <message>
        <source>miss: %1</source>
        <translation>未命中：%1</translation>
    </message>
    <message>
        <source>inter-token latency %1</source>
        <translation>token 间延迟 %1</translation>
    </message>
    <message>
        <source>%1: %2 of %3 tokens computed; predicted %4, or %5 with loading only</source>
        <translation>%1：计算了 %3 个 token 中的 %2 个；预测 %4，仅加载则为 %5</translation>
    </message>
    <message>
        <source>%1 of %2 chunks read; probe keys %3, chunks %4, of both from copies %5</source>
        <translation>读取 %2 个块中的 %1 个；探测键 %3，块 %4，两者中来自副本 %5</translation>
    </message>
    <message>
        <source>Selected only</source>
        <translation>仅显示选中</translation>
    </message>
    <message>
        <source>Show only the requests that a box in a chart selected. Esc clears the selection.</source>
        <translation>只显示在图中用框选中的请求。按 Esc 清除选择。</translation>
    </message>
    <message>
        <source>prefill steps shared with other requests: %1</source>
        <translation>与其他请求共享的预填充步：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::RequestsModel</name>
    <message>
        <source>lookup</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>unpack</source>
        <translation>解包</translation>
    </message>
    <message>
        <source>context prefill</source>
        <translation>上下文预填充</translation>
    </message>
    <message>
        <source>question prefill</source>
        <translation>问题预填充</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>%1 (%2)
lookup %3
load %4
unpack %5
context prefill %6
question prefill %7
queueing before service %8</source>
        <translation>%1（%2）
查找 %3
加载 %4
解包 %5
上下文预填充 %6
问题预填充 %7
处理前排队 %8</translation>
    </message>
    <message>
        <source>%1 loaded</source>
        <translation>已加载 %1</translation>
    </message>
    <message>
        <source>miss: %1</source>
        <translation>未命中：%1</translation>
    </message>
    <message>
        <source>canceled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Tier that served the context; prefill: the context was recomputed</source>
        <translation>提供该上下文的层级；prefill：该上下文被重算</translation>
    </message>
    <message>
        <source>Compression method and removed share of KV entries</source>
        <translation>压缩方法和移除的 KV 条目比例</translation>
    </message>
    <message>
        <source>Time to first token without queueing (measured; throttled tiers are marked)</source>
        <translation>首 token 延迟，不含排队（实测；限速层级会标明）</translation>
    </message>
    <message>
        <source>Lookup, load, unpack, context prefill and question prefill; full length is the 95th percentile</source>
        <translation>查找、加载、解包、上下文预填充和问题预填充；满长为第 95 百分位</translation>
    </message>
    <message>
        <source>%1 of the answer versus the reference answer, 0 to 1 (measured)</source>
        <translation>回答相对于参考答案的 %1，0 到 1（实测）</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>族</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>Method, removed</source>
        <translation>方法，移除</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>TTFT breakdown</source>
        <translation>TTFT 分解</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Mean time between two tokens of the answer (measured); empty below two tokens</source>
        <translation>回答中两个 token 之间的平均时间（实测）；不足两个 token 时为空</translation>
    </message>
    <message>
        <source>Most memory that the request&apos;s KV cache held while it decoded</source>
        <translation>请求的 KV 缓存在解码期间占用的最大内存</translation>
    </message>
    <message>
        <source>Inter-token latency</source>
        <translation>token 间延迟</translation>
    </message>
    <message>
        <source>Peak KV</source>
        <translation>KV 峰值</translation>
    </message>
    <message>
        <source>load, recompute</source>
        <translation>加载并重算</translation>
    </message>
    <message>
        <source>%1 of %2 tokens computed</source>
        <translation>计算了 %2 个 token 中的 %1 个</translation>
    </message>
    <message>
        <source>TTFT predicted %1, measured %2</source>
        <translation>TTFT 预测 %1，实测 %2</translation>
    </message>
    <message>
        <source>predicted with loading only: %1</source>
        <translation>仅加载的预测：%1</translation>
    </message>
    <message>
        <source>How the context came to the request: load, recompute, both at once (hybrid prefill), or prefill</source>
        <translation>请求如何获得上下文：加载、重算、两者同时（混合预填充）或预填充</translation>
    </message>
    <message>
        <source>Time to first token without queueing that serving or the plan predicted; empty: no prediction</source>
        <translation>服务或规划预测的首 token 延迟，不含排队；空：无预测</translation>
    </message>
    <message>
        <source>Way</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
</context>
<context>
    <name>kvantage::RunComparisonModel</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) selected; select %1 to %2 to compare them.</source>
        <translation>
            <numerusform>已选择 %n 个运行；请选择 %1 到 %2 个进行比较。</numerusform>
        </translation>
    </message>
    <message>
        <source>No settings differ</source>
        <translation>没有不同的设置</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message numerus="yes">
        <source>95 % interval %1 over %n context(s)</source>
        <translation>
            <numerusform>%n 个上下文的 95 % 区间 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>versus %1: %2</source>
        <translation>与 %1 相比：%2</translation>
    </message>
    <message>
        <source>Setting or metric</source>
        <translation>设置或指标</translation>
    </message>
    <message>
        <source>%1  (baseline)</source>
        <translation>%1  （基线）</translation>
    </message>
    <message>
        <source>not complete: %1</source>
        <translation>不完整：%1</translation>
    </message>
    <message>
        <source>These runs are more than %1 to compare, also with the repetitions of a command as one; select fewer.</source>
        <translation>即使把同一命令的重复运行算作一个，这些运行也超过 %1 个；请少选一些。</translation>
    </message>
    <message numerus="yes">
        <source>(%n run(s))</source>
        <translation>
            <numerusform>（%n 次运行）</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::RunFiles</name>
    <message>
        <source>Other files are being read or written. Wait for them or cancel.</source>
        <translation>正在读写其他文件。请等待或取消。</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>Computing metrics and intervals</source>
        <translation>正在计算指标和区间</translation>
    </message>
    <message>
        <source>Writing %1</source>
        <translation>正在写入 %1</translation>
    </message>
    <message>
        <source>Report saved: %1, also as JSON, CSV, LaTeX and PDF</source>
        <translation>报告已保存：%1，另有 JSON、CSV、LaTeX 和 PDF</translation>
    </message>
    <message>
        <source>Run saved: %1</source>
        <translation>运行已保存：%1</translation>
    </message>
    <message>
        <source>Run %1 imported</source>
        <translation>已导入运行 %1</translation>
    </message>
    <message>
        <source>Report saved: %1, also as JSON, CSV, LaTeX, PDF and Parquet</source>
        <translation>报告已保存：%1，另有 JSON、CSV、LaTeX、PDF 和 Parquet 格式</translation>
    </message>
    <message>
        <source>Page saved: %1</source>
        <translation>网页已保存：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::RunMetricsModel</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Policy of the run, with the settings that changed during it</source>
        <translation>该运行的策略及其间变化的设置</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Name as in files. Hover over a row for its definition.</source>
        <translation>文件中的名称。悬停在行上可查看其定义。</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Tier, quality metric or reason it refers to</source>
        <translation>所指的层级、质量指标或原因</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Mean if n is given, otherwise the value; six significant digits</source>
        <translation>给出 n 时为平均值，否则为该值；六位有效数字</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>s: seconds, B: bytes, 1: share or count</source>
        <translation>s：秒，B：字节，1：比例或计数</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 区间</translation>
    </message>
    <message>
        <source>95 % bootstrap interval of the mean, resampling contexts with all their requests</source>
        <translation>平均值的 95 % 自助法区间，按上下文连同其全部请求重采样</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Samples: requests, or gaps between tokens</source>
        <translation>样本：请求，或 token 之间的间隔</translation>
    </message>
    <message>
        <source>Contexts</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Number of contexts in the samples</source>
        <translation>样本中的上下文数</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>Median of the samples</source>
        <translation>样本的中位数</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>95th percentile of the samples</source>
        <translation>样本的第 95 百分位</translation>
    </message>
    <message>
        <source>p95 interval</source>
        <translation>p95 区间</translation>
    </message>
    <message>
        <source>95 % bootstrap interval of p95, resampling contexts with all their requests</source>
        <translation>p95 的 95 % 自助法区间，按上下文连同其全部请求重采样</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>99th percentile of the samples</source>
        <translation>样本的第 99 百分位</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Measured, throttled, simulated or predicted</source>
        <translation>实测、限速、模拟或预测</translation>
    </message>
</context>
<context>
    <name>kvantage::RunsDock</name>
    <message>
        <source>Filter by any column</source>
        <translation>按任一列筛选</translation>
    </message>
    <message>
        <source>Filter runs</source>
        <translation>筛选运行</translation>
    </message>
    <message>
        <source>Workload filter</source>
        <translation>工作负载筛选</translation>
    </message>
    <message>
        <source>Show only runs of one workload</source>
        <translation>仅显示一个工作负载的运行</translation>
    </message>
    <message>
        <source>Policy filter</source>
        <translation>策略筛选</translation>
    </message>
    <message>
        <source>Show only runs of one policy</source>
        <translation>仅显示一种策略的运行</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compare 2–8 selected runs</source>
        <translation>比较 2–8 个所选运行</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Show every metric of the selected runs, with intervals and n</source>
        <translation>显示所选运行的每个指标，含区间与 n</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>回放</translation>
    </message>
    <message>
        <source>Replay the selected run in all views</source>
        <translation>在所有视图中回放所选运行</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>Write a report on the selected runs: HTML, PDF, CSV, JSON and LaTeX</source>
        <translation>生成所选运行的报告：HTML、PDF、CSV、JSON 和 LaTeX</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Add a run from an exported file</source>
        <translation>从导出的文件添加运行</translation>
    </message>
    <message>
        <source>Saved runs</source>
        <translation>已保存的运行</translation>
    </message>
    <message>
        <source>reading or writing files</source>
        <translation>读写文件</translation>
    </message>
    <message>
        <source>Stop and delete what was written so far</source>
        <translation>停止并删除已写入的内容</translation>
    </message>
    <message>
        <source>comparing or computing metrics</source>
        <translation>比较或计算指标</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>正在比较</translation>
    </message>
    <message>
        <source>Computing metrics</source>
        <translation>正在计算指标</translation>
    </message>
    <message>
        <source>Canceled; no files were left behind</source>
        <translation>已取消；没有遗留文件</translation>
    </message>
    <message>
        <source>Runs are not recorded. Start kvantage with --db FILE to record them and list them here.</source>
        <translation>未记录运行。请以 --db FILE 启动 kvantage，以记录并在此列出运行。</translation>
    </message>
    <message>
        <source>Reading the list of runs…</source>
        <translation>正在读取运行列表……</translation>
    </message>
    <message>
        <source>No run matches the filter. Clear the filter or select another workload or policy.</source>
        <translation>没有匹配筛选条件的运行。请清除筛选，或选择其他工作负载或策略。</translation>
    </message>
    <message>
        <source>No runs yet. A run is recorded once you press Start. You can also import a run file.</source>
        <translation>尚无运行。按下“开始”后会记录一次运行。也可以导入运行文件。</translation>
    </message>
    <message>
        <source>all workloads</source>
        <translation>所有工作负载</translation>
    </message>
    <message>
        <source>all policies</source>
        <translation>所有策略</translation>
    </message>
    <message>
        <source>Compare %1</source>
        <translation>比较 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n 个运行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n run(s)</source>
        <translation>
            <numerusform>%n 个运行中的 %1 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Run %1 is still running; these metrics cover it so far. Press Metrics in Runs to update them.</source>
        <translation>运行 %1 仍在进行；这些指标为目前为止的值。在“运行”中按“指标”可更新。</translation>
    </message>
    <message>
        <source>Run %1 is still running in another window; these metrics cover it so far. Press Metrics in Runs to update them.</source>
        <translation>运行 %1 仍在另一窗口中进行；这些指标为目前为止的值。在“运行”中按“指标”可更新。</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>比较(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Metrics</source>
        <translation>指标(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Replay</source>
        <translation>回放(&amp;R)</translation>
    </message>
    <message>
        <source>Replay a run &amp;file…</source>
        <translation>回放运行文件(&amp;F)…</translation>
    </message>
    <message>
        <source>Replay a run from a file without adding it to the list</source>
        <translation>回放文件中的运行，不将其加入列表</translation>
    </message>
    <message>
        <source>Write re&amp;port…</source>
        <translation>生成报告(&amp;P)…</translation>
    </message>
    <message>
        <source>Copy c&amp;ommand line</source>
        <translation>复制命令行(&amp;O)</translation>
    </message>
    <message>
        <source>Copy the command line that re-runs the selected run</source>
        <translation>复制重新运行所选运行的命令行</translation>
    </message>
    <message>
        <source>Copied to the clipboard: %1</source>
        <translation>已复制到剪贴板：%1</translation>
    </message>
    <message>
        <source>&amp;Export run file…</source>
        <translation>导出运行文件(&amp;E)…</translation>
    </message>
    <message>
        <source>Save the selected run as a .kvrun file, to import it on another machine</source>
        <translation>将所选运行保存为 .kvrun 文件，以便在其他机器上导入</translation>
    </message>
    <message>
        <source>&amp;Import run file…</source>
        <translation>导入运行文件(&amp;I)…</translation>
    </message>
    <message>
        <source>Edit &amp;tags</source>
        <translation>编辑标签(&amp;T)</translation>
    </message>
    <message>
        <source>Tags to find the selected run by</source>
        <translation>用于查找所选运行的标签</translation>
    </message>
    <message>
        <source>Edit &amp;note</source>
        <translation>编辑备注(&amp;N)</translation>
    </message>
    <message>
        <source>Note on the selected run</source>
        <translation>所选运行的备注</translation>
    </message>
    <message>
        <source>&amp;Delete…</source>
        <translation>删除(&amp;D)…</translation>
    </message>
    <message>
        <source>Delete the selected runs from the database, after a confirmation</source>
        <translation>确认后从数据库中删除所选运行</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Delete runs</source>
        <translation>删除运行</translation>
    </message>
    <message>
        <source>Delete run %1?</source>
        <translation>删除运行 %1？</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n run(s)?</source>
        <translation>
            <numerusform>删除 %n 个运行？</numerusform>
        </translation>
    </message>
    <message>
        <source>This deletes settings, events, answers, tags and notes from the database and cannot be undone. Export a run first to keep it as a file.</source>
        <translation>这会从数据库中删除设置、事件、回答、标签和备注，且无法撤销。如需保留，请先将运行导出为文件。</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>删除(&amp;D)</translation>
    </message>
    <message>
        <source>Folder for the report</source>
        <translation>报告的文件夹</translation>
    </message>
    <message>
        <source>Export run</source>
        <translation>导出运行</translation>
    </message>
    <message>
        <source>Recorded runs (*.kvrun)</source>
        <translation>已记录的运行 (*.kvrun)</translation>
    </message>
    <message>
        <source>Import run</source>
        <translation>导入运行</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Replay a run file</source>
        <translation>回放运行文件</translation>
    </message>
    <message>
        <source>Write a report on the selected runs: HTML, PDF, CSV, JSON, LaTeX and Parquet</source>
        <translation>为所选运行生成报告：HTML、PDF、CSV、JSON、LaTeX 和 Parquet</translation>
    </message>
    <message>
        <source>%1 is a recorded run, but this window has no run database. Start kvantage with --db FILE.</source>
        <translation>%1 是已记录的运行，但本窗口没有运行数据库。请以 --db FILE 启动 kvantage。</translation>
    </message>
    <message>
        <source>Show only runs that contain each of these words in any column; tag:NAME finds NAME in tags only</source>
        <translation>仅显示任一列中包含每个词的运行；tag:名称 仅在标签中查找</translation>
    </message>
    <message>
        <source>&amp;Share as page…</source>
        <translation>分享为网页(&amp;S)…</translation>
    </message>
    <message>
        <source>Write the selected run as one HTML file that replays it in a browser</source>
        <translation>将所选运行写为一个 HTML 文件，可在浏览器中回放</translation>
    </message>
    <message>
        <source>Share run</source>
        <translation>分享运行</translation>
    </message>
    <message>
        <source>Include questions and answers?</source>
        <translation>是否包含问题与答案？</translation>
    </message>
    <message>
        <source>The page has the run&apos;s numbers, settings, command and names of contexts. Contexts may be private: leave their questions and answers out unless the reader may see them.</source>
        <translation>网页包含该运行的数值、设置、命令和上下文名称。上下文可能是私密的：除非读者可以查看，否则请不要包含问题与答案。</translation>
    </message>
    <message>
        <source>&amp;Leave out</source>
        <translation>不包含(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Include</source>
        <translation>包含(&amp;I)</translation>
    </message>
    <message>
        <source>Web pages (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
    <message>
        <source>Pin to Frontier</source>
        <translation>固定到前沿</translation>
    </message>
    <message>
        <source>Show the points of the selected runs on the Frontier, beside the present run</source>
        <translation>在前沿上与当前运行并列显示所选运行的点</translation>
    </message>
    <message>
        <source>Unpin from Frontier</source>
        <translation>从前沿取消固定</translation>
    </message>
    <message>
        <source>Show or hide on Frontier</source>
        <translation>在前沿上显示或隐藏</translation>
    </message>
    <message>
        <source>Unpin the selected runs from the Frontier</source>
        <translation>将所选运行从前沿取消固定</translation>
    </message>
    <message>
        <source>Show or hide the selected pinned runs on the Frontier</source>
        <translation>在前沿上显示或隐藏所选的已固定运行</translation>
    </message>
    <message>
        <source>One row per recorded run. Select 2–8 to compare them; repetitions of a command count as one.</source>
        <translation>每行一个记录的运行。选择 2–8 个进行比较；同一命令的重复运行算作一个。</translation>
    </message>
    <message>
        <source>Delete them from the database; this cannot be undone</source>
        <translation>从数据库中删除；此操作无法撤消</translation>
    </message>
    <message>
        <source>Write the page without questions and answers</source>
        <translation>写出不含问题和答案的页面</translation>
    </message>
    <message>
        <source>Write the page with questions and answers: whoever has it can read them</source>
        <translation>写出含问题和答案的页面：拿到页面的人都能看到它们</translation>
    </message>
</context>
<context>
    <name>kvantage::RunsMenu</name>
    <message>
        <source>One point per segment of unchanged settings, instead of one per run</source>
        <translation>每段不变的设置一个点，而不是每次运行一个点</translation>
    </message>
    <message>
        <source>Leave out the transient</source>
        <translation>排除瞬态</translation>
    </message>
    <message>
        <source>Split by setting changes</source>
        <translation>按设置变化拆分</translation>
    </message>
    <message>
        <source>Points without the requests that were served while contexts were still being moved</source>
        <translation>不含上下文仍在移动时所服务请求的点</translation>
    </message>
</context>
<context>
    <name>kvantage::RunsModel</name>
    <message>
        <source>Run %1 is still being recorded and was not deleted. Stop it, start another run, then delete it.</source>
        <translation>运行 %1 仍在记录，未被删除。请停止它，启动另一个运行，再删除它。</translation>
    </message>
    <message>
        <source>%1
duration %2</source>
        <translation>%1
时长 %2</translation>
    </message>
    <message>
        <source>No answered requests yet</source>
        <translation>尚无已回答的请求</translation>
    </message>
    <message numerus="yes">
        <source>Mean TTFT over %n answered request(s) (%1); %2 with queueing</source>
        <translation>
            <numerusform>%n 个已回答请求的平均 TTFT（%1）；含排队为 %2</numerusform>
        </translation>
    </message>
    <message>
        <source>No scored answers yet</source>
        <translation>尚无评分的回答</translation>
    </message>
    <message numerus="yes">
        <source>Mean %1 over %n held-out answer(s) (measured)</source>
        <translation>
            <numerusform>%n 个留出回答的平均 %1（实测）</numerusform>
        </translation>
    </message>
    <message>
        <source>Not read yet</source>
        <translation>尚未读取</translation>
    </message>
    <message>
        <source>No settings changed during the run</source>
        <translation>运行期间没有设置变化</translation>
    </message>
    <message>
        <source>Being recorded by another window or command</source>
        <translation>正由另一窗口或命令记录</translation>
    </message>
    <message>
        <source>No end is recorded, so the recording program was killed</source>
        <translation>没有记录结束，因此记录程序被终止</translation>
    </message>
    <message numerus="yes">
        <source>%n finished request(s), including warm-up and canceled ones</source>
        <translation>
            <numerusform>%n 个已完成的请求，含预热和已取消的请求</numerusform>
        </translation>
    </message>
    <message>
        <source>Double-click or press F2 to add tags, separated by commas</source>
        <translation>双击或按 F2 添加标签，以逗号分隔</translation>
    </message>
    <message>
        <source>Double-click or press F2 to add a note</source>
        <translation>双击或按 F2 添加备注</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>工作负载</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Budgets</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Local time at the start of the run</source>
        <translation>运行开始的本地时间</translation>
    </message>
    <message>
        <source>Policy at the start of the run</source>
        <translation>运行开始时的策略</translation>
    </message>
    <message>
        <source>Name of the served workload</source>
        <translation>所运行工作负载的名称</translation>
    </message>
    <message>
        <source>α at the start of the run, in s per unit of quality</source>
        <translation>运行开始时的 α，单位 s（每单位质量）</translation>
    </message>
    <message>
        <source>Settings that changed during the run. Hover over a row for the times.</source>
        <translation>运行期间变化的设置。悬停在行上可查看时间。</translation>
    </message>
    <message>
        <source>Finished requests</source>
        <translation>已完成的请求</translation>
    </message>
    <message>
        <source>Mean TTFT without queueing over answered requests after warm-up</source>
        <translation>预热后已回答请求的平均 TTFT，不含排队</translation>
    </message>
    <message>
        <source>Mean of the run&apos;s quality metric over held-out answers, 0 to 1</source>
        <translation>该运行质量指标在留出回答上的平均值，0 到 1</translation>
    </message>
    <message>
        <source>How the run ended. Aborted: no end is recorded, and no program is recording it.</source>
        <translation>运行如何结束。已中止：没有记录结束，也没有程序在记录它。</translation>
    </message>
    <message>
        <source>Your tags, separated by commas</source>
        <translation>自定义标签，以逗号分隔</translation>
    </message>
    <message>
        <source>Tier budgets at the start of the run, fastest first</source>
        <translation>运行开始时的层级预算，最快的在前</translation>
    </message>
    <message>
        <source>Name of the model</source>
        <translation>模型名称</translation>
    </message>
    <message>
        <source>Your note on the run</source>
        <translation>对该运行的备注</translation>
    </message>
    <message>
        <source>α</source>
        <translation>α</translation>
    </message>
</context>
<context>
    <name>kvantage::Screenshots</name>
    <message>
        <source>no scene matches %1; use a wildcard such as &quot;dock*&quot;, &quot;dialog*&quot;, &quot;lesson*&quot; or &quot;tour*&quot;</source>
        <translation>没有场景匹配 %1；请使用通配符，如 &quot;dock*&quot;、&quot;dialog*&quot;、&quot;lesson*&quot; 或 &quot;tour*&quot;</translation>
    </message>
    <message>
        <source>%1 cannot be created; use another folder</source>
        <translation>无法创建 %1；请使用其他文件夹</translation>
    </message>
    <message>
        <source>%1 cannot be written; use a writable folder</source>
        <translation>无法写入 %1；请使用可写的文件夹</translation>
    </message>
    <message>
        <source>The session does not show what the picture &quot;%1&quot; needs; serve the quick start under evicpress</source>
        <translation>会话没有显示图片“%1”所需的内容；请在 evicpress 策略下运行快速入门</translation>
    </message>
</context>
<context>
    <name>kvantage::SensitivityDock</name>
    <message>
        <source>removed</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Compression method whose effect on quality is shown</source>
        <translation>显示其对质量影响的压缩方法</translation>
    </message>
    <message>
        <source>Removed fraction</source>
        <translation>移除比例</translation>
    </message>
    <message>
        <source>Removed share of KV entries, in percent</source>
        <translation>移除的 KV 条目比例，百分比</translation>
    </message>
    <message>
        <source>by removed tokens</source>
        <translation>按移除的 token</translation>
    </message>
    <message>
        <source>by stored bytes</source>
        <translation>按存储字节</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>Horizontal axis: removed tokens, in percent, or stored bytes, in MiB</source>
        <translation>横轴：移除的 token（百分比）或存储字节（MiB）</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Context whose measured quality is shown; selects it in every view</source>
        <translation>显示其实测质量的上下文；会在所有视图中选中它</translation>
    </message>
    <message>
        <source>Families</source>
        <translation>族</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>热图</translation>
    </message>
    <message>
        <source>Quality of one context versus removed tokens or stored bytes</source>
        <translation>单个上下文的质量与移除的 token 或存储字节</translation>
    </message>
    <message>
        <source>Distribution of the relative quality drop over contexts</source>
        <translation>相对质量下降在上下文中的分布</translation>
    </message>
    <message>
        <source>Relative quality drop of every context at every removed fraction</source>
        <translation>各上下文在各移除比例下的相对质量下降</translation>
    </message>
    <message>
        <source>%1 profiled, %2 at 0</source>
        <translation>已剖析 %1 个，其中 %2 个为 0</translation>
    </message>
    <message>
        <source>%1 profiled</source>
        <translation>已剖析 %1 个</translation>
    </message>
    <message numerus="yes">
        <source>Measured on the profile questions. %n context(s) have uncompressed quality 0, hence no relative drop.</source>
        <translation>
            <numerusform>在剖析问题上实测。%n 个上下文的未压缩质量为 0，因此没有相对下降。</numerusform>
        </translation>
    </message>
    <message>
        <source>Measured on the profile questions.</source>
        <translation>在剖析问题上实测。</translation>
    </message>
    <message>
        <source>now: %1</source>
        <translation>当前：%1</translation>
    </message>
    <message>
        <source>not stored</source>
        <translation>未存储</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Quality curves that others measured; they enter no plan of this session</source>
        <translation>他人测量的质量曲线；不进入本会话的任何规划</translation>
    </message>
    <message>
        <source>Anytime profiling</source>
        <translation>随时剖析</translation>
    </message>
    <message>
        <source>Anytime profiling: a coarse curve of every context first, then the cells that plans depend on.
The bound on what more measuring could add to the utility of the plan has 95 % confidence.
Points with n = 0 are pooled from similar contexts.</source>
        <translation>随时剖析：先为每个上下文得到粗略曲线，再测量规划所依赖的单元。
继续测量最多能为规划效用增加多少，其界的置信度为 95 %。
n = 0 的点由相似上下文合并估计。</translation>
    </message>
    <message>
        <source>%1; %2 in %3 of them</source>
        <translation>%1；其中 %3 个有 %2</translation>
    </message>
    <message>
        <source>What-if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>Policies on imported curves, for another model over a trace; no plan of this session</source>
        <translation>在 trace 上用导入曲线对其他模型比较策略；不是本会话的计划</translation>
    </message>
</context>
<context>
    <name>kvantage::SeriesChart</name>
    <message>
        <source>Chart of a figure</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>%1 (95 %: %2 to %3)</source>
        <translation>%1（95 %：%2 至 %3）</translation>
    </message>
    <message>
        <source>%1 (%2: %3 to %4)</source>
        <translation>%1（%2：%3 至 %4）</translation>
    </message>
</context>
<context>
    <name>kvantage::ServingControls</name>
    <message>
        <source>Serving</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Overlap recompute with loads</source>
        <translation>重算与加载重叠</translation>
    </message>
    <message>
        <source>Recompute instead of loading</source>
        <translation>以重算代替加载</translation>
    </message>
    <message>
        <source>Attend on quantized KV</source>
        <translation>直接在量化 KV 上计算注意力</translation>
    </message>
    <message>
        <source>max concurrency %1</source>
        <translation>最大并发 %1</translation>
    </message>
    <message>
        <source>attend on quantized KV</source>
        <translation>直接在量化 KV 上计算注意力</translation>
    </message>
    <message>
        <source>dequantize on load</source>
        <translation>加载时反量化</translation>
    </message>
    <message>
        <source>Max concurrency</source>
        <translation>最大并发</translation>
    </message>
    <message>
        <source>Maximum number of requests in flight, decoded as one batch. While fewer are in flight, the engine measures quality curves in the background.</source>
        <translation>在途请求的最大数量，作为一个批次解码。在途请求较少时，引擎在后台测量质量曲线。</translation>
    </message>
    <message>
        <source>Recomputes the front of a stored context while its back loads from the tier,
wherever the fitted costs predict a lower TTFT. Answers do not change. See Pipeline for both timelines.</source>
        <translation>在拟合开销预测 TTFT 更低时，重算已存储上下文的前部，
同时从层级加载其后部。回答不变。两条时间线见“流水线”。</translation>
    </message>
    <message>
        <source>Recomputes all of a stored context and reads nothing of it,
wherever the fitted costs predict a lower TTFT.</source>
        <translation>重算已存储的上下文的全部，不读取它的任何部分，
只要拟合成本预测 TTFT 更低。</translation>
    </message>
    <message>
        <source>No dequantization on load: attention reads KIVI-quantized caches directly.
Saves memory; each decode step takes longer. Answers do not change.</source>
        <translation>加载时不反量化：注意力直接读取 KIVI 量化的缓存。
节省内存；每个解码步骤耗时更长。回答不变。</translation>
    </message>
    <message>
        <source>load, recompute or both</source>
        <translation>加载、重算或两者重叠</translation>
    </message>
    <message>
        <source>overlap recompute with loads</source>
        <translation>重算与加载重叠</translation>
    </message>
    <message>
        <source>load or recompute</source>
        <translation>加载或重算</translation>
    </message>
    <message>
        <source>load without recompute</source>
        <translation>仅加载，不重算</translation>
    </message>
    <message>
        <source>speculation: %1</source>
        <translation>推测解码：%1</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>where faster</source>
        <translation>更快时</translation>
    </message>
    <message>
        <source>always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>Prompt lookup: drafts the next tokens of an answer from where its latest ones occur in context, question or answer,
and verifies several drafts in one decoding pass. Answers do not change.
Where faster: only as far as measured times and accepted drafts say that it raises the tokens per second.</source>
        <translation>提示查找：从回答最新的 token 在上下文、问题或回答中出现之处，草拟接下来的 token，
并在一次解码前向中验证多个草稿。回答不变。
“更快时”：仅在测得的时间与接受的草稿表明能提高每秒 token 数时使用。</translation>
    </message>
    <message>
        <source>prefill batch: %1</source>
        <translation>预填充批：%1</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation>个 token</translation>
    </message>
    <message>
        <source>Prefill batch</source>
        <translation>预填充批</translation>
    </message>
    <message>
        <source>Questions and ends of contexts of several requests prefill together, up to so many tokens in a step.
Takes effect with more than one request in flight, in a session with batch-invariant products on the CPU (chosen in Models or Use my model).
Answers do not change.</source>
        <translation>多个请求的问题和上下文末段一起预填充，每步最多这么多 token。
仅在同时处理多个请求、且会话在 CPU 上使用批不变乘积时生效（在“模型”或“使用我的模型”中选择）。
答案不变。</translation>
    </message>
</context>
<context>
    <name>kvantage::ServingOpener</name>
    <message>
        <source>Import settings</source>
        <translation>导入设置</translation>
    </message>
    <message>
        <source>Serve this workload with the settings of “%1” (%2)?</source>
        <translation>用“%1”（%2）的设置提供此工作负载？</translation>
    </message>
    <message>
        <source>Settings of the session</source>
        <translation>会话的设置</translation>
    </message>
    <message>
        <source>Without an equivalent</source>
        <translation>没有对应的设置</translation>
    </message>
    <message>
        <source>This stops the current run; its results are saved.</source>
        <translation>这会停止当前运行；其结果会保存。</translation>
    </message>
    <message>
        <source>This stops the current run; its results are saved.

%1 It is canceled without a result.</source>
        <translation>这会停止当前运行；其结果会保存。

%1 它将被取消且没有结果。</translation>
    </message>
    <message>
        <source>&amp;Import</source>
        <translation>导入(&amp;I)</translation>
    </message>
    <message>
        <source>Start the session again with these settings</source>
        <translation>用这些设置重新启动会话</translation>
    </message>
    <message>
        <source>Import settings of LMCache or vLLM</source>
        <translation>导入 LMCache 或 vLLM 的设置</translation>
    </message>
    <message>
        <source>Settings (*.yaml *.yml *.json)</source>
        <translation>设置 (*.yaml *.yml *.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>kvantage::SessionKeeper</name>
    <message>
        <source>is not JSON</source>
        <translation>不是 JSON</translation>
    </message>
</context>
<context>
    <name>kvantage::SessionPoolModel</name>
    <message>
        <source>%1 of %2 blocks in use (%3 of %4)</source>
        <translation>已用 %1 / %2 块（%3 / %4）</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) hold %1</source>
        <translation>
            <numerusform>%n 个请求占用 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 shared</source>
        <translation>%1 个共享</translation>
    </message>
    <message>
        <source>%1 dead slots</source>
        <translation>%1 个失效槽位</translation>
    </message>
    <message numerus="yes">
        <source>%1 KV entries evicted in %n answer(s)</source>
        <translation>
            <numerusform>在 %n 个回答中驱逐 %1 个 KV 条目</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n compaction pass(es) freed %1 blocks in %2</source>
        <translation>
            <numerusform>%n 次压实在 %2 内释放 %1 块</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 live slots, %2 of them shared</source>
        <translation>%1 个有效槽位，其中 %2 个共享</translation>
    </message>
    <message>
        <source>%1 of the decode budgets in use</source>
        <translation>解码预算已用 %1</translation>
    </message>
    <message>
        <source>%1 per decoding step</source>
        <translation>每个解码步 %1</translation>
    </message>
    <message>
        <source>The session&apos;s pool of KV blocks, %1 tokens each (measured).
Slots are KV entries of requests in flight. Shared: in more than one block table. Dead slots: evicted KV entries whose block is not freed.
Eviction and compaction count answers of this run. Choosing what to evict took %2 and a score buffer of %3; eviction freed %4 blocks, compaction moved %5 KV entries.</source>
        <translation>会话的 KV 块池，每块 %1 个 token（实测）。
槽位是运行中请求的 KV 条目。共享：在多个块表中。失效槽位：已驱逐但所在块未释放的 KV 条目。
驱逐和压实统计本次运行的回答。选择驱逐对象用时 %2，分数缓冲区 %3；驱逐释放了 %4 块，压实移动了 %5 个 KV 条目。</translation>
    </message>
</context>
<context>
    <name>kvantage::SessionPoolPage</name>
    <message>
        <source>The session&apos;s pool</source>
        <translation>会话的池</translation>
    </message>
    <message>
        <source>Pool gauge</source>
        <translation>池的指标</translation>
    </message>
    <message>
        <source>What the chart shows of the session&apos;s pool over time</source>
        <translation>图表显示会话的池随时间变化的哪个指标</translation>
    </message>
    <message>
        <source>Compaction passes</source>
        <translation>压实记录</translation>
    </message>
    <message>
        <source>Compaction passes of this run, newest last. Click one to select its request.</source>
        <translation>本次运行的压实，最新的在最后。单击一行可选中其请求。</translation>
    </message>
    <message>
        <source>No compaction yet. Choose a decode-time eviction method in Controls &gt; Decoding; a pass runs whenever an answer has grown by the compaction cadence.</source>
        <translation>尚无压实。请在“控制”的“解码”中选择解码时驱逐方法；回答每增长一个压实节奏就压实一次。</translation>
    </message>
</context>
<context>
    <name>kvantage::SettingsDiffModel</name>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
</context>
<context>
    <name>kvantage::SettingsPage</name>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>Show all settings</source>
        <translation>显示全部设置</translation>
    </message>
    <message>
        <source>All settings of the two runs; those that differ are bold</source>
        <translation>两个运行的全部设置；不同的以粗体显示</translation>
    </message>
    <message>
        <source>Settings of the two runs</source>
        <translation>两个运行的设置</translation>
    </message>
    <message>
        <source>Settings in which the baseline and the other run differ</source>
        <translation>基线与另一运行不同的设置</translation>
    </message>
    <message>
        <source>Settings of compared runs</source>
        <translation>所比较运行的设置</translation>
    </message>
    <message>
        <source>No settings differ.</source>
        <translation>没有不同的设置。</translation>
    </message>
</context>
<context>
    <name>kvantage::SlidePage</name>
    <message>
        <source>&amp;Previous</source>
        <translation>上一步(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>KVantage slide</source>
        <translation>KVantage 幻灯片</translation>
    </message>
    <message>
        <source>Hidden until you commit your prediction</source>
        <translation>提交预测后才显示</translation>
    </message>
    <message>
        <source>Chart of the slide</source>
        <translation>幻灯片的图表</translation>
    </message>
    <message>
        <source>The chart that the slide shows</source>
        <translation>幻灯片所显示的图表</translation>
    </message>
    <message>
        <source>Control of the slide</source>
        <translation>幻灯片的控件</translation>
    </message>
    <message>
        <source>The control below the chart</source>
        <translation>图表下方的控件</translation>
    </message>
    <message>
        <source>&amp;Leave</source>
        <translation>离开(&amp;L)</translation>
    </message>
    <message>
        <source>Previous step</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Previous step (Page Up)</source>
        <translation>上一步 (Page Up)</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Next step (Page Down)</source>
        <translation>下一步 (Page Down)</translation>
    </message>
    <message>
        <source>Leave the slide</source>
        <translation>离开幻灯片</translation>
    </message>
    <message>
        <source>Back to the window (Esc)</source>
        <translation>返回窗口 (Esc)</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>kvantage::StartPage</name>
    <message>
        <source>Learn: pick a lesson</source>
        <translation>学习：选择一课</translation>
    </message>
    <message>
        <source>A lesson starts when loading finishes. See also Help &gt; Lessons.</source>
        <translation>加载完成后课程开始。另见“帮助 &gt; 课程”。</translation>
    </message>
    <message>
        <source>“%1” starts when loading finishes.</source>
        <translation>“%1”将在加载完成后开始。</translation>
    </message>
    <message>
        <source>Loading failed. See the message above.</source>
        <translation>加载失败。见上方消息。</translation>
    </message>
    <message>
        <source>Loading failed: %1</source>
        <translation>加载失败：%1</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型……</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1，工作负载 %2</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>%1 of %2, %3 left</source>
        <translation>%1 / %2，剩余 %3</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Back to the session</source>
        <translation>返回会话</translation>
    </message>
    <message>
        <source>Show the Frontier</source>
        <translation>显示前沿</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Open the same workload and model again</source>
        <translation>再次打开同一工作负载和模型</translation>
    </message>
    <message>
        <source>Use a separate store</source>
        <translation>使用独立存储</translation>
    </message>
    <message>
        <source>Open the same workload with an empty, separate store; the shared one stays unchanged</source>
        <translation>使用单独的空存储再次打开；原存储保持不变</translation>
    </message>
    <message>
        <source>Text file…</source>
        <translation>文本文件……</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>文件夹……</translation>
    </message>
    <message>
        <source>Open another workload</source>
        <translation>打开其他工作负载</translation>
    </message>
    <message>
        <source>A text, a folder or a sample</source>
        <translation>文本、文件夹或示例</translation>
    </message>
    <message>
        <source>Use my text</source>
        <translation>使用我的文本</translation>
    </message>
    <message>
        <source>Serve your own documents, with generated questions</source>
        <translation>用自己的文档提供服务，问题自动生成</translation>
    </message>
    <message>
        <source>Use my model</source>
        <translation>使用我的模型</translation>
    </message>
    <message>
        <source>What runs here, what it needs, where to get it</source>
        <translation>可运行的模型、所需内存与获取方式</translation>
    </message>
    <message>
        <source>Guided tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Five steps, from α to a changed Frontier</source>
        <translation>五个步骤，从 α 到变化的前沿</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>使用指南</translation>
    </message>
    <message>
        <source>How to use KVantage, by task; glossary and shortcuts</source>
        <translation>按任务说明用法；含术语表与快捷键</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近使用</translation>
    </message>
</context>
<context>
    <name>kvantage::SummaryPage</name>
    <message>
        <source>Summary of the comparison</source>
        <translation>比较的摘要</translation>
    </message>
    <message>
        <source>Copy summary</source>
        <translation>复制摘要</translation>
    </message>
    <message>
        <source>Copy these sentences to the clipboard</source>
        <translation>将这些句子复制到剪贴板</translation>
    </message>
    <message>
        <source>What was compared, what differs, and cautions</source>
        <translation>比较了什么、有何不同，以及注意事项</translation>
    </message>
</context>
<context>
    <name>kvantage::TargetBar</name>
    <message>
        <source>Clear targets</source>
        <translation>清除目标</translation>
    </message>
    <message>
        <source>Clear both targets</source>
        <translation>清除两个目标</translation>
    </message>
    <message>
        <source>Use these settings</source>
        <translation>使用这些设置</translation>
    </message>
    <message>
        <source>Set α and the budgets of the cheapest plan, as one undo step</source>
        <translation>设置最低成本方案的 α 与预算，作为一个撤销步骤</translation>
    </message>
    <message>
        <source>Target quality</source>
        <translation>目标质量</translation>
    </message>
    <message>
        <source>The predicted mean quality that a plan must reach, 0 to 1; 0: none. Its line can be dragged on the chart.</source>
        <translation>方案必须达到的预测平均质量，0 到 1；0：无。可在图上拖动其线。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Quality ≥</source>
        <translation>质量 ≥</translation>
    </message>
    <message>
        <source>Mean TTFT ≤</source>
        <translation>平均 TTFT ≤</translation>
    </message>
    <message>
        <source>Cheapest plan</source>
        <translation>最低成本方案</translation>
    </message>
    <message>
        <source>Predicted by the policy for the steady state. Budgets from 1/8 to 8 times the present ones are tried with 24 values of α.
Cost: sum over tiers of price × budget; prices are set in Controls. p95: over requests, by the predicted TTFT of their contexts.</source>
        <translation>策略对稳态的预测。尝试当前预算的 1/8 到 8 倍与多个 α 值的组合。
成本：各层级 价格 × 预算 之和；价格在“控制”中设置。p95：按请求，取其上下文的预测 TTFT。</translation>
    </message>
    <message>
        <source>Target TTFT</source>
        <translation>目标 TTFT</translation>
    </message>
    <message>
        <source>The predicted TTFT without queueing that a plan may have, in ms; 0: none. The line of a mean can be dragged on the chart.</source>
        <translation>方案允许的预测 TTFT（不含排队），单位 ms；0：不限。均值的线可在图上拖动。</translation>
    </message>
    <message>
        <source>TTFT p95 ≤</source>
        <translation>TTFT p95 ≤</translation>
    </message>
    <message>
        <source>TTFT that the target limits</source>
        <translation>目标所限制的 TTFT</translation>
    </message>
    <message>
        <source>Mean: over requests. p95: 95 % of the requests are for contexts with at most this predicted TTFT; it has no line on the chart, whose axis is the mean.</source>
        <translation>均值：对所有请求取平均。p95：95 % 的请求所属的上下文，其预测 TTFT 不超过该值；图的坐标轴是均值，因此 p95 在图上没有线。</translation>
    </message>
</context>
<context>
    <name>kvantage::TierControls</name>
    <message>
        <source>%1 budget</source>
        <translation>%1 预算</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>full speed</source>
        <translation>全速</translation>
    </message>
    <message>
        <source>throttled</source>
        <translation>限速</translation>
    </message>
    <message>
        <source>%1 speed</source>
        <translation>%1 速度</translation>
    </message>
    <message>
        <source>Full speed: the device as it is. Throttled: limited to the configured bandwidth and latency.</source>
        <translation>全速：设备原样。限速：限制为所设的带宽和延迟。</translation>
    </message>
    <message>
        <source>%1 throttled bandwidth</source>
        <translation>%1 限速带宽</translation>
    </message>
    <message>
        <source>Load bandwidth limit, in MB/s (1 MB = 1,000,000 bytes)</source>
        <translation>加载带宽上限，单位 MB/s（1 MB = 1,000,000 字节）</translation>
    </message>
    <message>
        <source>%1 throttled latency</source>
        <translation>%1 限速延迟</translation>
    </message>
    <message>
        <source>Latency added to each load, in ms</source>
        <translation>每次加载增加的延迟，单位 ms</translation>
    </message>
    <message>
        <source>– in use</source>
        <translation>– 已用</translation>
    </message>
    <message>
        <source>Usage is not recorded up to this time</source>
        <translation>到此时间为止未记录用量</translation>
    </message>
    <message>
        <source>not fitted yet</source>
        <translation>尚未拟合</translation>
    </message>
    <message>
        <source>%1 in use</source>
        <translation>已用 %1</translation>
    </message>
    <message>
        <source>Bytes in use (measured); all contexts uncompressed need %1</source>
        <translation>已用字节（实测）；所有上下文不压缩需要 %1</translation>
    </message>
    <message>
        <source>fitted, throttled: %1, %2</source>
        <translation>已拟合，限速：%1，%2</translation>
    </message>
    <message>
        <source>fitted: %1, %2</source>
        <translation>已拟合：%1，%2</translation>
    </message>
    <message>
        <source>Bandwidth and latency fitted from live loads, as used by predictions</source>
        <translation>由实时加载拟合的带宽和延迟，供预测使用</translation>
    </message>
    <message>
        <source>Budget of %1, in MiB including headers, or in percent of all contexts uncompressed, like 40%.
Dragging previews the prediction; releasing applies it.</source>
        <translation>%1 的预算，以 MiB 计（含头部），或为所有未压缩上下文的百分比，例如 40%。
拖动时预览预测；松开后生效。</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>价格</translation>
    </message>
    <message>
        <source> per GiB</source>
        <translation> 每 GiB</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>%1 price</source>
        <translation>%1 价格</translation>
    </message>
    <message>
        <source>Price of 1 GiB of this tier&apos;s budget, relative to other tiers; 0: free. Targets of the Frontier look for the cheapest plan.
If all tiers are free, the cost is the sum of the budgets.</source>
        <translation>该层级 1 GiB 预算相对于其他层级的价格；0：免费。前沿的目标会寻找成本最低的方案。
若所有层级都免费，成本即预算之和。</translation>
    </message>
</context>
<context>
    <name>kvantage::TierCountersPage</name>
    <message>
        <source>No counters yet. Tiers are opened while the model loads.</source>
        <translation>尚无计数。层级在模型加载时打开。</translation>
    </message>
    <message>
        <source>Tier counters</source>
        <translation>层级计数</translation>
    </message>
    <message>
        <source>Reads, writes, bytes and misses by reason of each tier since it was opened</source>
        <translation>自层级打开以来各层级的读取、写入、字节数和按原因统计的未命中</translation>
    </message>
</context>
<context>
    <name>kvantage::TierCountersTable</name>
    <message>
        <source>Tier</source>
        <translation>层级</translation>
    </message>
    <message>
        <source>Counter</source>
        <translation>计数项</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>含义</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>kvantage::TierFitChart</name>
    <message>
        <source>Loads versus the fit</source>
        <translation>加载与拟合</translation>
    </message>
    <message>
        <source>Load size (MiB)</source>
        <translation>加载大小（MiB）</translation>
    </message>
    <message>
        <source>Device time (ms)</source>
        <translation>设备时间（ms）</translation>
    </message>
    <message>
        <source>loads</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>startup timing</source>
        <translation>启动计时</translation>
    </message>
    <message>
        <source>fit</source>
        <translation>拟合</translation>
    </message>
    <message>
        <source>%1: %2 stored here</source>
        <translation>%1：此处存储 %2</translation>
    </message>
    <message>
        <source>%1: not on %2</source>
        <translation>%1：不在 %2 上</translation>
    </message>
    <message numerus="yes">
        <source>%1; loaded %n time(s)</source>
        <translation>
            <numerusform>%1；已加载 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>Device time of the newest 64 request loads, throttling included (%1)</source>
        <translation>最近 64 次请求加载的设备时间，含限速（%1）</translation>
    </message>
    <message>
        <source>Loads of three sizes, timed when the tier was opened; they anchor the slope</source>
        <translation>层级打开时计时的三种大小的加载；用于固定斜率</translation>
    </message>
    <message>
        <source>Cost model that predictions use: latency + bytes / bandwidth, a robust Theil-Sen fit</source>
        <translation>预测使用的开销模型：延迟 + 字节 / 带宽，稳健的 Theil-Sen 拟合</translation>
    </message>
    <message>
        <source>Rings: loads of the selected context from %1; diamond: its fitted load time now. Esc clears the selection.</source>
        <translation>圆环：所选上下文从 %1 的加载；菱形：其当前的拟合加载时间。按 Esc 清除选择。</translation>
    </message>
    <message>
        <source>No tier is timed yet. Tiers are timed while the model loads.</source>
        <translation>尚无已计时的层级。层级在模型加载时计时。</translation>
    </message>
    <message>
        <source>%1 is unavailable. It is timed once it responds.</source>
        <translation>%1 不可用。恢复响应后会计时。</translation>
    </message>
    <message>
        <source>No loads from %1 yet. Once you press Start, each hit adds a point.</source>
        <translation>尚无来自 %1 的加载。按下“开始”后，每次命中增加一个点。</translation>
    </message>
    <message>
        <source>%1 in %2 (%3)
fitted: %4</source>
        <translation>%1，用时 %2（%3）
拟合：%4</translation>
    </message>
    <message>
        <source>request load</source>
        <translation>请求加载</translation>
    </message>
    <message>
        <source>context %1; click to select it</source>
        <translation>上下文 %1；点击选择</translation>
    </message>
    <message>
        <source>predicted before the load: %1</source>
        <translation>加载前的预测：%1</translation>
    </message>
    <message>
        <source>selected context</source>
        <translation>所选上下文</translation>
    </message>
    <message>
        <source>%1: %2 stored here
fitted load time %3</source>
        <translation>%1：此处存储 %2
拟合加载时间 %3</translation>
    </message>
</context>
<context>
    <name>kvantage::TierFitPage</name>
    <message>
        <source>Tier</source>
        <translation>层级</translation>
    </message>
    <message>
        <source>Tier whose loads and fit are shown</source>
        <translation>显示其加载和拟合的层级</translation>
    </message>
    <message>
        <source>Cost model fitted from the loads below, as used by predictions. Excludes unpacking into the cache.</source>
        <translation>由下方加载拟合的开销模型，供预测使用。不含解包到缓存。</translation>
    </message>
    <message>
        <source>%1 (throttled)</source>
        <translation>%1（限速）</translation>
    </message>
    <message>
        <source>Residual: |device time − fitted time| / device time, over the latest live loads (at most 64)</source>
        <translation>残差：|设备时间 − 拟合时间| / 设备时间，取最近的实时加载（最多 64 次）</translation>
    </message>
    <message numerus="yes">
        <source>Predicted before each of %n load(s): %1 (median), %2 (p95)</source>
        <translation>
            <numerusform>在 %n 次加载之前的预测：%1（中位数），%2（p95）</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvantage::TierReportsModel</name>
    <message>
        <source>none yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>copies: in %1, out %2, %3 overlapped</source>
        <translation>拷贝：入 %1，出 %2，%3 被重叠</translation>
    </message>
    <message>
        <source>copies: in %1, out %2</source>
        <translation>拷贝：入 %1，出 %2</translation>
    </message>
    <message>
        <source>device memory allocated, in use or not</source>
        <translation>已分配的设备内存，不论是否在用</translation>
    </message>
    <message>
        <source>copied between host memory and the device</source>
        <translation>在主机内存与设备之间拷贝</translation>
    </message>
    <message>
        <source>copy bandwidth while copies were in flight</source>
        <translation>拷贝进行期间的带宽</translation>
    </message>
    <message>
        <source>peak bandwidth of large copies of pinned memory</source>
        <translation>锁页内存大块拷贝的峰值带宽</translation>
    </message>
    <message>
        <source>share of copy time overlapped with work of the tier&apos;s threads</source>
        <translation>与层级线程的工作重叠的拷贝时间占比</translation>
    </message>
    <message>
        <source>Model on the GPU</source>
        <translation>GPU 上的模型</translation>
    </message>
    <message>
        <source>KV cache memory in use; shared blocks count once</source>
        <translation>在用的 KV 缓存内存；共享块只计一次</translation>
    </message>
    <message>
        <source>KV cache memory</source>
        <translation>KV 缓存内存</translation>
    </message>
    <message>
        <source>KV entries of contexts copied to the GPU, in whole blocks</source>
        <translation>拷贝到 GPU 的上下文 KV 条目，以整块计</translation>
    </message>
    <message>
        <source>peak bandwidth of large copies of page-locked memory</source>
        <translation>锁页内存大块拷贝的峰值带宽</translation>
    </message>
    <message>
        <source>share of copy time in which no computation waited for a layer</source>
        <translation>没有计算在等待某层的拷贝时间占比</translation>
    </message>
    <message>
        <source>KV entries computed on the GPU and copied back, in whole blocks</source>
        <translation>在 GPU 上计算并拷贝回来的 KV 条目，以整块计</translation>
    </message>
    <message>
        <source>the cache vanished between lookup and read</source>
        <translation>缓存在查找与读取之间消失</translation>
    </message>
    <message>
        <source>its file, or part of it on the server, is missing</source>
        <translation>其文件或服务器上的部分文件缺失</translation>
    </message>
    <message>
        <source>the data ends early</source>
        <translation>数据提前结束</translation>
    </message>
    <message>
        <source>checksum mismatch</source>
        <translation>校验和不匹配</translation>
    </message>
    <message>
        <source>the system reported an error</source>
        <translation>系统报告了错误</translation>
    </message>
    <message>
        <source>the server did not respond; the cache is kept</source>
        <translation>服务器未响应；缓存会保留</translation>
    </message>
    <message>
        <source>another KVantage process replaced it; the new version is read next</source>
        <translation>另一工作台替换了它；下次读取新版本</translation>
    </message>
    <message>
        <source>canceled before it was read</source>
        <translation>读取前已取消</translation>
    </message>
    <message>
        <source>the request was invalid</source>
        <translation>请求无效</translation>
    </message>
    <message>
        <source>over budget, or the device or memory is full</source>
        <translation>超出预算，或设备或内存已满</translation>
    </message>
    <message>
        <source>the system or the server reported an error</source>
        <translation>系统或服务器报告了错误</translation>
    </message>
    <message>
        <source>canceled before it was visible</source>
        <translation>可见之前已取消</translation>
    </message>
    <message>
        <source>its length does not match its description</source>
        <translation>其长度与描述不符</translation>
    </message>
    <message>
        <source>not timed yet</source>
        <translation>尚未计时</translation>
    </message>
    <message>
        <source>not fitted yet: no loads</source>
        <translation>尚未拟合：没有加载</translation>
    </message>
    <message>
        <source>not fitted: unavailable</source>
        <translation>未拟合：不可用</translation>
    </message>
    <message>
        <source>%1, latency %2</source>
        <translation>%1，延迟 %2</translation>
    </message>
    <message>
        <source>no live loads yet</source>
        <translation>尚无实时加载</translation>
    </message>
    <message numerus="yes">
        <source>%n load(s), residual %1 (median), %2 (p95)</source>
        <translation>
            <numerusform>%n 次加载，残差 %1（中位数），%2（p95）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed read(s)</source>
        <translation>
            <numerusform>%n 次读取失败</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 device memory allocated, %3 free. Copies: achieved of peak bandwidth with pinned memory. Overlapped: share of copy time hidden by the tier&apos;s own work.</source>
        <translation>已分配 %2 设备内存中的 %1，空闲 %3。拷贝：锁页内存的实际带宽 / 峰值带宽。重叠：被层级自身工作掩盖的拷贝时间占比。</translation>
    </message>
    <message>
        <source>Its server does not respond; requests are served without it</source>
        <translation>其服务器未响应；处理请求时不使用它</translation>
    </message>
    <message>
        <source>no failed reads since it was opened</source>
        <translation>自打开以来没有读取失败</translation>
    </message>
    <message>
        <source>failed reads, %1: %2 (%3)</source>
        <translation>读取失败，%1：%2（%3）</translation>
    </message>
    <message>
        <source>injected faults, %1: %2</source>
        <translation>注入故障，%1：%2</translation>
    </message>
    <message>
        <source>Model on the GPU: KV caches %1 of %2; copies: in %3, out %4</source>
        <translation>GPU 上的模型：KV 缓存 %1 / %2；拷贝：入 %3，出 %4</translation>
    </message>
    <message>
        <source>%1, %2 of uploads overlapped</source>
        <translation>%1，上传的 %2 被重叠</translation>
    </message>
    <message>
        <source>The model runs on %1.
KV caches: GPU memory in use of the memory reserved for KV caches.
Copies: KV entries uploaded and downloaded, achieved of peak bandwidth with page-locked memory.
Overlapped: share of copy time in which no computation waited for a layer.</source>
        <translation>模型运行在 %1 上。
KV 缓存：为 KV 缓存预留的 GPU 内存中的在用量。
拷贝：上传和下载的 KV 条目，锁页内存的实际带宽 / 峰值带宽。
重叠：没有计算在等待某层的拷贝时间占比。</translation>
    </message>
    <message>
        <source>successful, verified reads</source>
        <translation>成功且已校验的读取</translation>
    </message>
    <message>
        <source>bytes of those reads</source>
        <translation>这些读取的字节数</translation>
    </message>
    <message>
        <source>caches written and visible</source>
        <translation>已写入且可见的缓存</translation>
    </message>
    <message>
        <source>bytes of those writes</source>
        <translation>这些写入的字节数</translation>
    </message>
    <message>
        <source>injected faults that affected its files</source>
        <translation>影响其文件的注入故障</translation>
    </message>
    <message>
        <source>caches removed by the policy</source>
        <translation>被策略移除的缓存</translation>
    </message>
    <message>
        <source>corrupt caches dropped</source>
        <translation>丢弃的损坏缓存</translation>
    </message>
    <message>
        <source>caches verified in the background</source>
        <translation>在后台校验的缓存</translation>
    </message>
    <message>
        <source>caches recovered when the tier was opened</source>
        <translation>层级打开时恢复的缓存</translation>
    </message>
    <message>
        <source>caches added by other processes</source>
        <translation>由其他工作台添加的缓存</translation>
    </message>
    <message>
        <source>caches removed by other processes or the server</source>
        <translation>被其他工作台或服务器移除的缓存</translation>
    </message>
    <message>
        <source>caches on the server whose seal does not fit, not used</source>
        <translation>服务器上封印不符、因而未使用的缓存</translation>
    </message>
    <message>
        <source>torn or outdated files removed when the tier was opened</source>
        <translation>层级打开时移除的撕裂或过时文件</translation>
    </message>
    <message>
        <source>headers and padding, not counted as used</source>
        <translation>头部和填充，不计入已用</translation>
    </message>
    <message>
        <source>device memory allocated but free</source>
        <translation>已分配但空闲的设备内存</translation>
    </message>
    <message>
        <source>free space in its files</source>
        <translation>其文件中的空闲空间</translation>
    </message>
    <message>
        <source>disk blocks of its folder, or server memory (MEMORY USAGE) of the caches measured so far</source>
        <translation>其文件夹占用的磁盘块，或已测量缓存的服务器内存（MEMORY USAGE）</translation>
    </message>
    <message>
        <source>bytes of the same caches, as counted here</source>
        <translation>同一批缓存的字节数（按本程序计数）</translation>
    </message>
    <message>
        <source>another process stored a newer version, wrote at the same time, or locked the index</source>
        <translation>另一个进程已存入更新的版本、同时在写入，或锁住了索引</translation>
    </message>
    <message>
        <source>files skipped when the tier was opened</source>
        <translation>层级打开时跳过的文件</translation>
    </message>
    <message>
        <source>files skipped when the tier was opened: %1</source>
        <translation>层级打开时跳过的文件：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::TierSeriesModel</name>
    <message>
        <source>throttled, faults injected</source>
        <translation>限速，已注入故障</translation>
    </message>
    <message>
        <source>faults injected</source>
        <translation>已注入故障</translation>
    </message>
    <message>
        <source>throttled</source>
        <translation>限速</translation>
    </message>
</context>
<context>
    <name>kvantage::TiersDock</name>
    <message>
        <source>Occupancy</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>拟合</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>Occupancy of each tier over time, by method, versus its budget</source>
        <translation>各层级随时间的占用（按方法）与其预算</translation>
    </message>
    <message>
        <source>Measured loads of a tier versus its fitted cost model</source>
        <translation>某层级的实测加载与拟合的开销模型</translation>
    </message>
    <message>
        <source>Reads, writes, failures by reason and injected faults of every tier; GPU copies</source>
        <translation>各层级的读取、写入、按原因统计的失败和注入故障；GPU 拷贝</translation>
    </message>
    <message>
        <source>I/O of %1</source>
        <translation>%1 的 I/O</translation>
    </message>
    <message>
        <source>Achieved: bytes per second of request wait time over the last %1 loads (measured).
Fitted: bandwidth that predictions use for the same loads, latency included.</source>
        <translation>实际：最近 %1 次加载中请求等待时间内的每秒字节数（实测）。
拟合：预测对相同加载使用的带宽，含延迟。</translation>
    </message>
    <message>
        <source>loads: %1 achieved (throttled), &lt;i&gt;%2 fitted&lt;/i&gt;</source>
        <translation>加载：实际 %1（限速），&lt;i&gt;拟合 %2&lt;/i&gt;</translation>
    </message>
    <message>
        <source>loads: %1 achieved, &lt;i&gt;%2 fitted&lt;/i&gt;</source>
        <translation>加载：实际 %1，&lt;i&gt;拟合 %2&lt;/i&gt;</translation>
    </message>
    <message>
        <source>no loads yet, &lt;i&gt;%1 fitted&lt;/i&gt;</source>
        <translation>尚无加载，&lt;i&gt;拟合 %1&lt;/i&gt;</translation>
    </message>
    <message>
        <source>not fitted yet</source>
        <translation>尚未拟合</translation>
    </message>
    <message>
        <source>uncompressed</source>
        <translation>未压缩</translation>
    </message>
    <message>
        <source>Bytes stored under %1 (measured)</source>
        <translation>以 %1 存储的字节（实测）</translation>
    </message>
    <message>
        <source>budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>Maximum bytes on the tier</source>
        <translation>该层级的最大字节数</translation>
    </message>
    <message>
        <source>● store</source>
        <translation>● 存储</translation>
    </message>
    <message>
        <source>▲ promote</source>
        <translation>▲ 提升</translation>
    </message>
    <message>
        <source>▬ compress</source>
        <translation>▬ 压缩</translation>
    </message>
    <message>
        <source>▼ demote</source>
        <translation>▼ 降级</translation>
    </message>
    <message>
        <source>✕ evict</source>
        <translation>✕ 驱逐</translation>
    </message>
    <message>
        <source>Mark along the bottom: action of the policy</source>
        <translation>底部标记：策略的动作</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1：%2，%3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>loads: read in place, no transfer</source>
        <translation>加载：就地读取，无需传输</translation>
    </message>
</context>
<context>
    <name>kvantage::TimeLine</name>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Follow the newest part of the run</source>
        <translation>跟随运行的最新部分</translation>
    </message>
    <message>
        <source>Keep the newest part of the run in view, in all time charts</source>
        <translation>在所有时间图中保持显示运行的最新部分</translation>
    </message>
</context>
<context>
    <name>kvantage::TimeLineChart</name>
    <message>
        <source>Timeline of a figure</source>
        <translation>图表的时间线</translation>
    </message>
    <message>
        <source>Axis of the chart</source>
        <translation>图表的坐标轴</translation>
    </message>
    <message>
        <source>on a bar: %1</source>
        <translation>条上：%1</translation>
    </message>
    <message>
        <source>Label on a bar that is wide enough</source>
        <translation>足够宽的条上的标签</translation>
    </message>
    <message>
        <source>%1
from %2 to %3: %4
%5</source>
        <translation>%1
从 %2 到 %3：%4
%5</translation>
    </message>
    <message>
        <source>Nothing to plot: no row has both a start and an end. See the table.</source>
        <translation>无可绘制内容：没有行同时具备起点和终点。请查看表格。</translation>
    </message>
</context>
<context>
    <name>kvantage::TimeLineModel</name>
    <message>
        <source>%1: %2 (%3 times)</source>
        <translation>%1：%2（%3 次）</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>已继续</translation>
    </message>
</context>
<context>
    <name>kvantage::TimeLineStrip</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>What happened along the run. Drag the frame at the bottom to show another part in all time charts. Right-click or press the menu key for the table and export.</source>
        <translation>运行过程中发生的事件。拖动底部的框可在所有时间图中显示另一部分。右键单击或按菜单键可查看表格和导出。</translation>
    </message>
    <message>
        <source>Timeline of the run: changes, drift, re-profiles and faults</source>
        <translation>运行的时间线：变化、漂移、重新剖析和故障</translation>
    </message>
    <message>
        <source>annotations</source>
        <translation>注释</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>beginning of the run</source>
        <translation>运行的开始</translation>
    </message>
    <message>
        <source>%1: latest</source>
        <translation>%1：最新</translation>
    </message>
</context>
<context>
    <name>kvantage::TokenMap</name>
    <message>
        <source>Arrow keys move between tokens; Enter shows all of one</source>
        <translation>方向键在 token 之间移动；Enter 显示当前 token 的全部信息</translation>
    </message>
</context>
<context>
    <name>kvantage::Tour</name>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>&amp;Close tour</source>
        <translation>关闭导览(&amp;C)</translation>
    </message>
    <message>
        <source>Close the tour; Help &gt; Guided tour starts it again</source>
        <translation>关闭导览；“帮助 &gt; 导览”可重新开始</translation>
    </message>
    <message>
        <source>α: the value of quality</source>
        <translation>α：质量的价值</translation>
    </message>
    <message>
        <source>α says how many seconds of TTFT one unit of quality (0 to 1) is worth: at 3, a loss of 0.01 weighs as much as 30 ms. Drag the slider: the ring moves along the curve. Release it, and the engine follows.</source>
        <translation>α 表示一个单位的质量（0 到 1）值多少秒 TTFT：为 3 时，损失 0.01 相当于 30 ms。拖动滑块：圆环沿曲线移动。松开后，引擎随之调整。</translation>
    </message>
    <message>
        <source>Budgets: limit the fast memory</source>
        <translation>预算：限制快速内存</translation>
    </message>
    <message>
        <source>A tier never exceeds its budget, so caches are compressed, demoted or evicted. Drag this one and watch the whole curve change.</source>
        <translation>层级绝不超出其预算，因此缓存会被压缩、降级或驱逐。拖动它，观察整条曲线的变化。</translation>
    </message>
    <message>
        <source>Frontier: all trade-offs at a glance</source>
        <translation>前沿：一览所有权衡</translation>
    </message>
    <message>
        <source>A line is what a policy predicts for every α; the ring marks the current one. Diamonds are measured, with 95 % intervals. Squares are policies without α, for comparison: solid in the steady state, dashed from empty caches. Select a family above the chart: each has its own curve.</source>
        <translation>曲线是策略对每个 α 的预测；圆环标出当前的 α。菱形是实测点，带 95 % 区间。方形是不使用 α 的策略，供比较：实线为稳态，虚线从空缓存开始。请在图表上方选择一个族：每个族都有自己的曲线。</translation>
    </message>
    <message>
        <source>Sensitivity: not every context tolerates compression</source>
        <translation>敏感度：并非每个上下文都能承受压缩</translation>
    </message>
    <message>
        <source>The same removed fraction is harmless to one context and costs another its answer. Switch pages for curves, families and a heat map of all contexts.</source>
        <translation>同样的移除比例对一个上下文无害，却会让另一个失去答案。切换页面可查看曲线、族和所有上下文的热图。</translation>
    </message>
    <message>
        <source>Tiers: what fills the memory</source>
        <translation>层级：什么占用了内存</translation>
    </message>
    <message>
        <source>Occupancy of each tier over time versus its budget. Switch pages for measured load times, failures and misses.</source>
        <translation>各层级随时间的占用与其预算。切换页面可查看实测加载时间、失败和未命中。</translation>
    </message>
</context>
<context>
    <name>kvantage::TourCard</name>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Show me</source>
        <translation>演示给我看(&amp;S)</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Continue without doing it</source>
        <translation>不执行，直接继续</translation>
    </message>
    <message>
        <source>Show me how</source>
        <translation>演示给我看</translation>
    </message>
    <message>
        <source>Do it for me, with the same control</source>
        <translation>用同一控件替我完成</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>&amp;Finish</source>
        <translation>完成(&amp;F)</translation>
    </message>
    <message>
        <source>%1, step %2 of %3: %4</source>
        <translation>%1，第 %2 步，共 %3 步：%4</translation>
    </message>
    <message>
        <source>Select this answer to see whether it is correct</source>
        <translation>选择此回答，查看是否正确</translation>
    </message>
    <message>
        <source>✓ done</source>
        <translation>✓ 完成</translation>
    </message>
    <message>
        <source>S&amp;kip</source>
        <translation>跳过(&amp;K)</translation>
    </message>
    <message>
        <source>Continue without a prediction; the summary says that it was skipped</source>
        <translation>不作预测而继续；总结中会注明已跳过</translation>
    </message>
</context>
<context>
    <name>kvantage::UtilityBars</name>
    <message>
        <source>Utility of the alternatives</source>
        <translation>备选方案的效用</translation>
    </message>
    <message>
        <source>Utility (s)</source>
        <translation>效用（s）</translation>
    </message>
    <message>
        <source>Utility of the alternatives, one bar each; arrow keys move between bars</source>
        <translation>备选方案的效用，每个一条；方向键在各条之间移动</translation>
    </message>
    <message>
        <source>quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>α × quality × request frequency, in s</source>
        <translation>α × 质量 × 请求频率，单位 s</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>−TTFT × request frequency, in s</source>
        <translation>−TTFT × 请求频率，单位 s</translation>
    </message>
    <message>
        <source>displacement</source>
        <translation>挤占</translation>
    </message>
    <message>
        <source>Change of the utility of all other contexts when the policy plans around it, in s</source>
        <translation>策略围绕它规划时，所有其他上下文的效用变化，单位 s</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>总和</translation>
    </message>
    <message>
        <source>Sum of the parts, predicted; bold: the plan&apos;s choice</source>
        <translation>各部分之和，预测值；粗体：方案的选择</translation>
    </message>
    <message>
        <source>larger than the budget</source>
        <translation>大于预算</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>quality %1 s, TTFT %2 s, displacement %3 s (predicted)</source>
        <translation>质量 %1 s，TTFT %2 s，挤占 %3 s（预测）</translation>
    </message>
    <message>
        <source>quality %1 s, TTFT %2 s (predicted)</source>
        <translation>质量 %1 s，TTFT %2 s（预测）</translation>
    </message>
    <message>
        <source>Click or Enter: what would have to change</source>
        <translation>点击或按 Enter：需要什么改变</translation>
    </message>
    <message>
        <source>Not requested yet: the utility of each configuration is 0.</source>
        <translation>尚未被请求：每个配置的效用均为 0。</translation>
    </message>
    <message>
        <source>Select a context to see the utility of each configuration.</source>
        <translation>选择一个上下文，查看每个配置的效用。</translation>
    </message>
    <message>
        <source>Value of the formula</source>
        <translation>公式的值</translation>
    </message>
    <message>
        <source>formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Value of the policy&apos;s formula</source>
        <translation>策略公式的值</translation>
    </message>
    <message>
        <source>Change of the formula&apos;s value of all other contexts when the policy plans around it</source>
        <translation>策略围绕它规划时，所有其他上下文的公式值的变化</translation>
    </message>
    <message>
        <source>%1: larger than the budget of its tier; ignoring other contexts %2 of utility</source>
        <translation>%1：大于其层级的预算；不计其他上下文，效用为 %2</translation>
    </message>
    <message>
        <source>%1, the plan&apos;s choice: %2 of utility</source>
        <translation>%1，规划的选择：效用 %2</translation>
    </message>
    <message>
        <source>%1: %2 of utility</source>
        <translation>%1：效用 %2</translation>
    </message>
    <message>
        <source>formula %1, displacement %2 (predicted)</source>
        <translation>公式 %1，挤占 %2（预测）</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
</context>
<context>
    <name>kvantage::ValuesTable</name>
    <message>
        <source>Compared runs</source>
        <translation>所比较的运行</translation>
    </message>
    <message>
        <source>Settings that differ and metrics of each run, with 95 % intervals and n. Differences are relative to the baseline.</source>
        <translation>不同的设置和各运行的指标，含 95 % 区间与 n。差异相对于基线。</translation>
    </message>
</context>
<context>
    <name>kvantage::WhatIfChart</name>
    <message>
        <source>What-if on imported curves</source>
        <translation>基于导入曲线的假设分析</translation>
    </message>
    <message>
        <source>TTFT without queueing (s, simulated)</source>
        <translation>不含排队的 TTFT（秒，模拟）</translation>
    </message>
    <message>
        <source>Quality (%1)</source>
        <translation>质量（%1）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1, α %2</source>
        <translation>%1，α %2</translation>
    </message>
    <message>
        <source>%1: TTFT %2, quality %3, %4 of requests with a hit</source>
        <translation>%1：TTFT %2，质量 %3，%4 的请求命中</translation>
    </message>
</context>
<context>
    <name>kvantage::WhatIfModel</name>
    <message>
        <source>No published models are there.</source>
        <translation>没有已发布的模型。</translation>
    </message>
    <message>
        <source>Import quality curves first, on the page Imported.</source>
        <translation>请先在“导入”页导入质量曲线。</translation>
    </message>
    <message>
        <source>Choose a trace: recorded traffic of another system.</source>
        <translation>请选择 trace：其他系统记录的流量。</translation>
    </message>
    <message>
        <source>Simulating…</source>
        <translation>正在模拟…</translation>
    </message>
    <message>
        <source>Simulated on imported curves: %1</source>
        <translation>基于导入曲线的模拟：%1</translation>
    </message>
</context>
<context>
    <name>kvantage::WhatIfPage</name>
    <message>
        <source>Trace…</source>
        <translation>Trace…</translation>
    </message>
    <message>
        <source>Times…</source>
        <translation>时间表…</translation>
    </message>
    <message>
        <source>Published model</source>
        <translation>已发布的模型</translation>
    </message>
    <message>
        <source>Model whose bytes of a token and times are used; choose the one that was measured</source>
        <translation>使用其每 token 字节数和时间的模型；请选择被测量的那个模型</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>Trace</translation>
    </message>
    <message>
        <source>Table of times</source>
        <translation>时间表</translation>
    </message>
    <message>
        <source>Source of the what-if points</source>
        <translation>假设分析点的来源</translation>
    </message>
    <message>
        <source>Simulated on curves that others measured: no plan of this session</source>
        <translation>基于他人测量的曲线模拟：不是本会话的计划</translation>
    </message>
    <message>
        <source>Choose a trace</source>
        <translation>选择 trace</translation>
    </message>
    <message>
        <source>Choose a table of times</source>
        <translation>选择时间表</translation>
    </message>
    <message>
        <source>Fastest tier</source>
        <translation>最快层级</translation>
    </message>
    <message>
        <source>Second tier</source>
        <translation>第二层级</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Budget as a share of all contexts of the trace, uncompressed</source>
        <translation>预算占 trace 中所有上下文（未压缩）的比例</translation>
    </message>
    <message>
        <source>Recorded traffic of another system, in a format of simulate; its first 2,000 requests</source>
        <translation>其他系统记录的流量，格式同 simulate；取前 2,000 个请求</translation>
    </message>
    <message>
        <source>Measured times instead of the model&apos;s: a table with tokens, seconds and tier</source>
        <translation>用测得的时间代替模型的时间：含 tokens、seconds 和 tier 的表</translation>
    </message>
</context>
<context>
    <name>kvantage::WindowActions</name>
    <message>
        <source>Open a model file</source>
        <translation>打开模型文件</translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation>模型 (*.gguf)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Guided &amp;tour</source>
        <translation>导览(&amp;T)</translation>
    </message>
    <message>
        <source>Five steps, from α to a changed Frontier</source>
        <translation>五个步骤，从 α 到变化的前沿</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>课程(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;About KVantage…</source>
        <translation>关于 KVantage(&amp;A)…</translation>
    </message>
    <message>
        <source>Version, commit and licenses</source>
        <translation>版本、提交和许可证</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>开始(&amp;S)</translation>
    </message>
    <message>
        <source>Serve the workload</source>
        <translation>运行该工作负载</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>Pause after the requests in flight</source>
        <translation>在途请求完成后暂停</translation>
    </message>
    <message>
        <source>S&amp;tep</source>
        <translation>单步(&amp;T)</translation>
    </message>
    <message>
        <source>Serve one request, then pause</source>
        <translation>处理一个请求，然后暂停</translation>
    </message>
    <message>
        <source>St&amp;op</source>
        <translation>停止(&amp;O)</translation>
    </message>
    <message>
        <source>Stop the run and cancel the requests in flight</source>
        <translation>停止运行并取消在途请求</translation>
    </message>
    <message>
        <source>Undo the last setting change (%1)</source>
        <translation>撤销上次设置更改（%1）</translation>
    </message>
    <message>
        <source>Redo (%1)</source>
        <translation>重做（%1）</translation>
    </message>
    <message>
        <source>&amp;Dark theme</source>
        <translation>深色主题(&amp;D)</translation>
    </message>
    <message>
        <source>Switch between the dark and the light theme</source>
        <translation>在深色与浅色主题之间切换</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Saved dock arrangements</source>
        <translation>已保存的停靠窗布局</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;text file…</source>
        <translation>打开文本文件(&amp;T)…</translation>
    </message>
    <message>
        <source>Serve your own text, with generated questions</source>
        <translation>运行自己的文本，自动生成问题</translation>
    </message>
    <message>
        <source>Open &amp;folder…</source>
        <translation>打开文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>Serve a workload folder or a folder of texts</source>
        <translation>运行工作负载文件夹或文本文件夹</translation>
    </message>
    <message>
        <source>Open &amp;model…</source>
        <translation>打开模型(&amp;M)…</translation>
    </message>
    <message>
        <source>Serve this workload with a model from a Hugging Face folder</source>
        <translation>用 Hugging Face 文件夹中的模型运行此工作负载</translation>
    </message>
    <message>
        <source>Open model file (&amp;GGUF)…</source>
        <translation>打开模型文件 (&amp;GGUF)…</translation>
    </message>
    <message>
        <source>Serve this workload with a model from a GGUF file. You can also drop the file on the window.</source>
        <translation>用 GGUF 文件中的模型运行此工作负载。也可将文件拖放到窗口上。</translation>
    </message>
    <message>
        <source>Export all &amp;charts…</source>
        <translation>导出所有图表(&amp;C)…</translation>
    </message>
    <message>
        <source>Save every chart as PNG, SVG, PDF, CSV and LaTeX and every table as CSV</source>
        <translation>将每个图表保存为 PNG、SVG、PDF、CSV 和 LaTeX，每个表格保存为 CSV</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>重置布局(&amp;R)</translation>
    </message>
    <message>
        <source>Restore the default dock arrangement</source>
        <translation>恢复默认的停靠窗布局</translation>
    </message>
    <message>
        <source>Restore &amp;previous layout</source>
        <translation>恢复上一个布局(&amp;P)</translation>
    </message>
    <message>
        <source>Undo the last layout selection, reset or import</source>
        <translation>撤销上次的布局选择、重置或导入</translation>
    </message>
    <message>
        <source>Te&amp;xt size</source>
        <translation>文字大小(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Increase</source>
        <translation>增大(&amp;I)</translation>
    </message>
    <message>
        <source>Increase the text size, up to 200 %</source>
        <translation>增大文字，最大 200 %</translation>
    </message>
    <message>
        <source>&amp;Decrease</source>
        <translation>减小(&amp;D)</translation>
    </message>
    <message>
        <source>Decrease the text size, down to 80 %</source>
        <translation>减小文字，最小 80 %</translation>
    </message>
    <message>
        <source>&amp;Reset</source>
        <translation>重置(&amp;R)</translation>
    </message>
    <message>
        <source>Reset to the system text size</source>
        <translation>恢复为系统文字大小</translation>
    </message>
    <message>
        <source>The language changes after a restart.</source>
        <translation>语言将在重启后更改。</translation>
    </message>
    <message>
        <source>&amp;Present</source>
        <translation>演示模式(&amp;P)</translation>
    </message>
    <message>
        <source>Full screen with large text and selected docks; Esc leaves. Alt and a digit toggle docks.</source>
        <translation>全屏、大号文字和所选停靠窗；Esc 退出。Alt 加数字切换停靠窗。</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>C&amp;lear selection</source>
        <translation>清除选择(&amp;L)</translation>
    </message>
    <message>
        <source>Clear the selected context and request, or the family if none is selected</source>
        <translation>清除所选的上下文和请求；未选择时清除族</translation>
    </message>
    <message>
        <source>Find &amp;command…</source>
        <translation>查找命令(&amp;C)…</translation>
    </message>
    <message>
        <source>Find any command or control by a few letters</source>
        <translation>用几个字母查找任何命令或控件</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>Play the recorded run</source>
        <translation>播放所记录的运行</translation>
    </message>
    <message>
        <source>Pause the recorded run</source>
        <translation>暂停所记录的运行</translation>
    </message>
    <message>
        <source>Go to the next answer of the recorded run</source>
        <translation>转到所记录运行的下一个回答</translation>
    </message>
    <message>
        <source>Go to the start of the recorded run</source>
        <translation>转到所记录运行的开头</translation>
    </message>
    <message>
        <source>&amp;Start page</source>
        <translation>起始页(&amp;S)</translation>
    </message>
    <message>
        <source>Samples, recent files, your own text and model</source>
        <translation>示例、最近文件、自己的文本与模型</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <translation>使用指南(&amp;G)</translation>
    </message>
    <message>
        <source>How to use KVantage, by task</source>
        <translation>按任务说明用法</translation>
    </message>
    <message>
        <source>Gl&amp;ossary</source>
        <translation>术语表(&amp;O)</translation>
    </message>
    <message>
        <source>Terms in a few sentences each</source>
        <translation>用几句话解释每个术语</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>Every key of this window</source>
        <translation>此窗口的所有按键</translation>
    </message>
    <message>
        <source>&amp;Use my model…</source>
        <translation>使用我的模型(&amp;U)…</translation>
    </message>
    <message>
        <source>Included models, and which open models suit this machine</source>
        <translation>随附的模型，以及适合本机的开放模型</translation>
    </message>
    <message>
        <source>Import &amp;settings of LMCache or vLLM…</source>
        <translation>导入 LMCache 或 vLLM 的设置(&amp;S)…</translation>
    </message>
    <message>
        <source>Serve this workload with tiers, eviction and concurrency of their settings file</source>
        <translation>用其设置文件中的存储层、淘汰和并发数提供此工作负载</translation>
    </message>
    <message>
        <source>Open a method file</source>
        <translation>打开方法文件</translation>
    </message>
    <message>
        <source>Methods (*.pt)</source>
        <translation>方法 (*.pt)</translation>
    </message>
    <message>
        <source>Pro&amp;file now</source>
        <translation>立即剖析(&amp;F)</translation>
    </message>
    <message>
        <source>Measure the quality curves of all contexts, whether requests are served or not; with anytime profiling until they are good enough</source>
        <translation>测量所有上下文的质量曲线，无论是否在处理请求；采用随时剖析时，测到足够好为止</translation>
    </message>
    <message>
        <source>Stop p&amp;rofiling</source>
        <translation>停止剖析(&amp;R)</translation>
    </message>
    <message>
        <source>End what Profile now began; what is measured is kept</source>
        <translation>结束“立即剖析”开始的测量；已测得的结果会保留</translation>
    </message>
    <message>
        <source>Open method f&amp;ile…</source>
        <translation>打开方法文件(&amp;I)…</translation>
    </message>
    <message>
        <source>Add the method of a TorchScript file to the candidates. You can also drop the file on the window.</source>
        <translation>将 TorchScript 文件的方法加入候选项。也可以将文件拖放到窗口上。</translation>
    </message>
</context>
<context>
    <name>kvantage::WindowDocks</name>
    <message>
        <source>Show or hide %1: %2</source>
        <translation>显示或隐藏 %1：%2</translation>
    </message>
</context>
<context>
    <name>kvantage::WindowFiles</name>
    <message>
        <source>Open “%1”?</source>
        <translation>打开“%1”？</translation>
    </message>
    <message>
        <source>Serve this workload with the model “%1”?</source>
        <translation>用模型“%1”运行此工作负载？</translation>
    </message>
    <message>
        <source>%1 no longer exists and was removed from the recent files. Open it at its new location.</source>
        <translation>%1 已不存在，已从最近的文件中移除。请在新位置打开它。</translation>
    </message>
    <message>
        <source>%1 cannot be opened in this window. Start kvantage with this workload.</source>
        <translation>无法在本窗口中打开 %1。请用该工作负载启动 kvantage。</translation>
    </message>
    <message>
        <source>%1 cannot be loaded in this window. Start kvantage with --model.</source>
        <translation>无法在本窗口中加载 %1。请以 --model 启动 kvantage。</translation>
    </message>
    <message>
        <source>%1 is a method, and this window serves no session. Start kvantage with --method-file.</source>
        <translation>%1 是一个方法，而此窗口没有会话。请用 --method-file 启动 kvantage。</translation>
    </message>
    <message>
        <source>%1 has settings of another program, and this window cannot start a session with them. Use kvantage-cli session import.</source>
        <translation>%1 含有其他程序的设置，此窗口无法用它们启动会话。请使用 kvantage-cli session import。</translation>
    </message>
</context>
<context>
    <name>kvantage::WindowModes</name>
    <message>
        <source>Modes</source>
        <translation>模式</translation>
    </message>
</context>
<context>
    <name>kvantage::WindowOpening</name>
    <message>
        <source>opening</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>Open the session again</source>
        <translation>再次打开会话</translation>
    </message>
    <message>
        <source>Reopen the window for the lesson</source>
        <translation>为课程重新打开窗口</translation>
    </message>
    <message>
        <source>candidate method %1</source>
        <translation>候选方法 %1</translation>
    </message>
    <message>
        <source>%1 is a candidate now; its quality is measured first.</source>
        <translation>%1 现在是候选；会先测量其质量。</translation>
    </message>
</context>
<context>
    <name>kvantage::WindowState</name>
    <message>
        <source>The engine stopped unexpectedly. See Events for details.</source>
        <translation>引擎意外停止。详情见“事件”。</translation>
    </message>
</context>
<context>
    <name>kvantage::WindowStatusBar</name>
    <message>
        <source>Back to the live run</source>
        <translation>返回实时运行</translation>
    </message>
    <message>
        <source>All views show a recorded run; the live engine is paused. Click to return to the live run.</source>
        <translation>所有视图显示已记录的运行；实时引擎已暂停。点击返回实时运行。</translation>
    </message>
    <message>
        <source>Run state</source>
        <translation>运行状态</translation>
    </message>
    <message>
        <source>Injected faults</source>
        <translation>注入的故障</translation>
    </message>
    <message>
        <source>Background work</source>
        <translation>后台任务</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>每秒 token 数</translation>
    </message>
    <message>
        <source>Answer tokens per second, over the latest requests (at most 50)</source>
        <translation>每秒回答 token 数，取最近的请求（最多 50 个）</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Requests in flight and waiting. With an arrival rate, the number waiting is an estimate:
the rate times the queueing time of the last answered request. In a closed loop none waits.</source>
        <translation>在途和等待中的请求。设有到达速率时，等待数为估计值：
速率乘以上一个已回答请求的排队时间。闭环时没有等待。</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>在用内存</translation>
    </message>
    <message>
        <source>Resident memory of KVantage: model, caches, host memory tier and window</source>
        <translation>KVantage 的常驻内存：模型、缓存、主机内存层级和窗口</translation>
    </message>
    <message>
        <source>Provenance</source>
        <translation>数据来源</translation>
    </message>
    <message>
        <source>replay of %1 – back to live</source>
        <translation>正在回放 %1 – 返回实时</translation>
    </message>
    <message>
        <source>%1 parameters, %2 layers, %3 KV heads of dimension %4</source>
        <translation>%1 个参数，%2 层，%3 个 KV 头，维度 %4</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n context(s)</source>
        <translation>
            <numerusform>%1：%n 个上下文</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 contexts, %2 questions</source>
        <translation>%1 个上下文，%2 个问题</translation>
    </message>
    <message>
        <source>faults injected</source>
        <translation>已注入故障</translation>
    </message>
    <message>
        <source>Injected into the files of these tiers:
%1</source>
        <translation>注入到这些层级的文件中：
%1</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>%1 running, %2 waiting</source>
        <translation>%1 个运行中，%2 个等待</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n request(s)</source>
        <translation>
            <numerusform>%1 / %n 个请求</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s)</source>
        <translation>
            <numerusform>%n 个请求</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2/s</source>
        <translation>%1，%2/s</translation>
    </message>
    <message>
        <source>%1, %2 left</source>
        <translation>%1，剩余 %2</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>Connected programs</source>
        <translation>已连接的程序</translation>
    </message>
    <message>
        <source>Programs connected to this session&apos;s socket (--listen): they can read texts and decisions, ask questions and change settings</source>
        <translation>连接到此会话套接字（--listen）的程序：它们可以读取文本和决策、提问并更改设置</translation>
    </message>
    <message>
        <source>connected: %1</source>
        <translation>已连接：%1</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop profiling</source>
        <translation>停止剖析</translation>
    </message>
    <message>
        <source>Stop profiling; what is measured is kept</source>
        <translation>停止剖析；已测得的结果会保留</translation>
    </message>
</context>
<context>
    <name>kvantage::WorkLine</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation>%1的进度</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>取消%1</translation>
    </message>
    <message>
        <source>Cancel and change nothing</source>
        <translation>取消且不做任何更改</translation>
    </message>
</context>
<context>
    <name>kvantage::WorkloadOpener</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>This stops the current run; its results are saved.</source>
        <translation>这会停止当前运行；其结果会保存。</translation>
    </message>
    <message>
        <source>This stops the current run; its results are saved.

%1 It is canceled without a result.</source>
        <translation>这会停止当前运行；其结果会保存。

%1 它将被取消且没有结果。</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>打开(&amp;O)</translation>
    </message>
    <message>
        <source>Open a workload folder or a folder of texts</source>
        <translation>打开工作负载文件夹或文本文件夹</translation>
    </message>
    <message>
        <source>Open a text file</source>
        <translation>打开文本文件</translation>
    </message>
    <message>
        <source>Texts (*.txt *.md)</source>
        <translation>文本 (*.txt *.md)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Stop the current run and open this</source>
        <translation>停止当前运行并打开它</translation>
    </message>
</context>
</TS>
