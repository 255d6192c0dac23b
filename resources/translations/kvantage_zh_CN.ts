<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ChartLatexText</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
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
        <source>Keep map</source>
        <translation>保留图</translation>
    </message>
    <message>
        <source>Tokens that a method keeps, and the answers from them</source>
        <translation>某方法保留的 token 及由此得到的回答</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>缓存池</translation>
    </message>
    <message>
        <source>Blocks of a paged pool during eviction and compaction</source>
        <translation>淘汰与整理过程中分页缓存池的块</translation>
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
        <source>Reproduce</source>
        <translation>复现</translation>
    </message>
    <message>
        <source>Reproduce published figures and compare with the paper</source>
        <translation>复现论文图表并与论文对比</translation>
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
        <source>%1: predicted for every α (steady state)</source>
        <translation>%1：对每个 α 的预测（稳态）</translation>
    </message>
    <message>
        <source>%1: independent of α: one simulated point</source>
        <translation>%1：与 α 无关，一个模拟点</translation>
    </message>
    <message>
        <source>%1. Ring: current policy and α</source>
        <translation>%1。圆环：当前策略与 α</translation>
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
        <source>predicted quality %1
predicted TTFT %2</source>
        <translation>预测质量 %1
预测 TTFT %2</translation>
    </message>
    <message numerus="yes">
        <source>%1, simulated over %n request(s)</source>
        <translation>
            <numerusform>%1，%n 个请求的模拟值</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, measured on throttled tiers over %n request(s)</source>
        <translation>
            <numerusform>%1，在限速层级上 %n 个请求的实测值</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, measured over %n request(s)</source>
        <translation>
            <numerusform>%1，%n 个请求的实测值</numerusform>
        </translation>
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
        <source>Click or press Enter to open run %1</source>
        <translation>点击或按 Enter 打开运行 %1</translation>
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
        <source>&quot;%1&quot; is unknown in a step; use step, at, do, wait, question, answer or right</source>
        <translation>“%1”在步骤中未知；请使用 step、at、do、wait、question、answer 或 right</translation>
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
        <source>is too long for a policy; shorten it</source>
        <translation>作为策略过长；请缩短</translation>
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
        <source>is unknown; use policy, alpha, rate, methods, removed_fractions, reprofile, reprofile_threshold, compute_or_load, TIER budget, TIER bandwidth or TIER latency</source>
        <translation>未知；请使用 policy、alpha、rate、methods、removed_fractions、reprofile、reprofile_threshold、compute_or_load、TIER budget、TIER bandwidth 或 TIER latency</translation>
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
        <source>unknown dock &quot;%1&quot;; see ui/dock_registry.cpp for names</source>
        <translation>未知停靠窗“%1”；名称见 ui/dock_registry.cpp</translation>
    </message>
    <message>
        <source>no &quot;%1&quot; in &quot;%2&quot;; press Ctrl+K to find controls by name</source>
        <translation>“%2”中没有“%1”；按 Ctrl+K 可按名称查找控件</translation>
    </message>
    <message>
        <source>&quot;%1&quot; cannot do this: %2</source>
        <translation>“%1”不支持此操作：%2</translation>
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
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Frontier</source>
        <translation>前沿</translation>
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
        <source>%1, the sample workload of this lesson, was not found. Copy it into %2.</source>
        <translation>未找到本课程的示例工作负载 %1。请将其复制到 %2。</translation>
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
</context>
<context>
    <name>kvantage::AboutDialog</name>
    <message>
        <source>shipped</source>
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
        <translation>KV 缓存压缩与淘汰的工作台。许可证：GPL-3.0-only，不提供任何担保。</translation>
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
        <source>Linkage</source>
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
</context>
<context>
    <name>kvantage::ChartPanel</name>
    <message>
        <source>%1. Right-click or press the menu key for the table and export.</source>
        <translation>%1。右键单击或按菜单键可查看表格和导出。</translation>
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
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Save the comparison as CSV in full precision</source>
        <translation>将比较以全精度保存为 CSV</translation>
    </message>
    <message>
        <source>LaTeX…</source>
        <translation>LaTeX…</translation>
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
        <source>Compared runs</source>
        <translation>所比较的运行</translation>
    </message>
    <message>
        <source>Settings that differ and metrics of each run, with 95 % intervals and n. Differences are relative to the baseline.</source>
        <translation>不同的设置和各运行的指标，含 95 % 区间与 n。差异相对于基线。</translation>
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
    <name>kvantage::ControlsDock</name>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Re-profile on drift</source>
        <translation>漂移时重新剖析</translation>
    </message>
    <message>
        <source>Overlap recompute with loading</source>
        <translation>重算与加载重叠</translation>
    </message>
    <message>
        <source>Overlap recompute with loads</source>
        <translation>重算与加载重叠</translation>
    </message>
    <message>
        <source>Attend on quantized KV</source>
        <translation>直接在量化 KV 上计算注意力</translation>
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
        <source>Methods</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Arrivals</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>closed loop</source>
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
        <source>Max concurrency</source>
        <translation>最大并发</translation>
    </message>
    <message>
        <source>Maximum number of requests in flight, decoded as one batch. While fewer are in flight, the engine measures quality curves in the background.</source>
        <translation>在途请求的最大数量，作为一个批次解码。在途请求较少时，引擎在后台测量质量曲线。</translation>
    </message>
    <message>
        <source>Re-profiles a context on its latest questions when its answers fall below its profile</source>
        <translation>当上下文的回答低于其剖析结果时，用最近的问题重新剖析</translation>
    </message>
    <message>
        <source> % below profile</source>
        <translation> % 低于剖析</translation>
    </message>
    <message>
        <source>Drift threshold</source>
        <translation>漂移阈值</translation>
    </message>
    <message>
        <source>A context has drifted when the quality of its answers falls below its profile by more than this,
in percent of the profiled quality (default: 30)</source>
        <translation>回答质量低于剖析质量超过此值时，该上下文视为已漂移，
以剖析质量的百分比表示（默认：30）</translation>
    </message>
    <message>
        <source>Recomputes the front of a stored context while its back loads from the tier,
wherever the fitted costs predict a lower TTFT. Answers do not change. See Pipeline for both time lines.</source>
        <translation>在拟合开销预测 TTFT 更低时，重算已存储上下文的前部，
同时从层级加载其后部。回答不变。两条时间线见“流水线”。</translation>
    </message>
    <message>
        <source>No dequantization on load: attention reads KIVI-quantized caches directly.
Saves memory; each decode step takes longer. Answers do not change.</source>
        <translation>加载时不反量化：注意力直接读取 KIVI 量化的缓存。
节省内存；每个解码步更慢。回答不变。</translation>
    </message>
    <message>
        <source>policy %1</source>
        <translation>策略 %1</translation>
    </message>
    <message>
        <source>alpha %1</source>
        <translation>alpha %1</translation>
    </message>
    <message>
        <source>arrival rate %1</source>
        <translation>到达速率 %1</translation>
    </message>
    <message>
        <source>max concurrency %1</source>
        <translation>最大并发 %1</translation>
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
        <source>overlap recompute with loading</source>
        <translation>重算与加载重叠</translation>
    </message>
    <message>
        <source>load without recompute</source>
        <translation>仅加载，不重算</translation>
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
        <source>drift threshold %1 %</source>
        <translation>漂移阈值 %1 %</translation>
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
        <source>No events yet. Press Start to see what the engine does and why.</source>
        <translation>尚无事件。按“开始”可查看引擎做了什么及其原因。</translation>
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
    <name>kvantage::FigureCommand</name>
    <message>
        <source>%1 cannot be started: %2. Install kvantage-cli in the same folder as the window.</source>
        <translation>无法启动 %1：%2。请将 kvantage-cli 安装在窗口程序的同一文件夹。</translation>
    </message>
    <message>
        <source>The command was killed by a signal, perhaps for lack of memory. Close other programs and try again.</source>
        <translation>命令被信号终止，可能是内存不足。请关闭其他程序后重试。</translation>
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
        <source>kvantage-cli was not found. Install it in the same folder as the window to reproduce figures.</source>
        <translation>未找到 kvantage-cli。请将其安装在窗口程序的同一文件夹以复现图表。</translation>
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
    <message>
        <source>%1 finished in %2. See Reproduce for the comparison with the paper.</source>
        <translation>%1 已完成，用时 %2。与论文的对比见“复现”。</translation>
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
        <source>Save the result as CSV or JSON, or copy it as text</source>
        <translation>将结果保存为 CSV 或 JSON，或复制为文本</translation>
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
</context>
<context>
    <name>kvantage::FiguresPage</name>
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
        <source>No curve yet. Contexts are being profiled; points appear with the first profile.</source>
        <translation>尚无曲线。正在剖析上下文；有了第一个剖析结果后即显示点。</translation>
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
        <source>No requests served yet. Press Start.</source>
        <translation>尚未处理请求。请按“开始”。</translation>
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
        <translation>颜色越深：保留它的 KV 头越多。删除线：在所有头中都被淘汰。悬停在 token 上可查看其分数；方向键、Home、End 和翻页键在 token 之间移动。</translation>
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
        <translation>删除线：在所有头中都被淘汰</translation>
    </message>
    <message>
        <source>struck out: evicted</source>
        <translation>删除线：已淘汰</translation>
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
        <source>Reopen the window for the lesson</source>
        <translation>为课程重新打开窗口</translation>
    </message>
    <message>
        <source>%1: the saved dock arrangement is damaged, so the default layout is used. Arrange the docks again.</source>
        <translation>%1：保存的停靠窗布局已损坏，因此使用默认布局。请重新排列停靠窗。</translation>
    </message>
    <message>
        <source>opening</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>%1 is a recorded run, but this window has no run database. Start kvantage with --db FILE.</source>
        <translation>%1 是已记录的运行，但本窗口没有运行数据库。请以 --db FILE 启动 kvantage。</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly. See Events for details.</source>
        <translation>引擎意外停止。详情见“事件”。</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>关闭窗口</translation>
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
        <source>Tier read of each layer, on a thread of its own</source>
        <translation>各层的层级读取，在独立线程上</translation>
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
        <source>No request timeline yet. Press Start.</source>
        <translation>尚无请求时间线。请按“开始”。</translation>
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
        <source>rest</source>
        <translation>其余</translation>
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
</context>
<context>
    <name>kvantage::PipelineView</name>
    <message>
        <source>Timeline of the request</source>
        <translation>请求的时间线</translation>
    </message>
    <message>
        <source>Zoom with the wheel, + or -; pan by dragging or with the arrow keys. Home: up to the first token. End: the whole request. Ctrl+Left and Ctrl+Right move between spans; Esc leaves.</source>
        <translation>用滚轮、+ 或 - 缩放；拖动或用方向键平移。Home：到首 token。End：整个请求。Ctrl+左和 Ctrl+右在跨度之间移动；Esc 离开。</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>首 token</translation>
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
    <name>kvantage::PoolDock</name>
    <message>
        <source>Eviction</source>
        <translation>淘汰</translation>
    </message>
    <message>
        <source>Which KV entry to evict when the sequence exceeds its budget</source>
        <translation>序列超出预算时淘汰哪个 KV 条目</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>整理</translation>
    </message>
    <message>
        <source>How free slots are compacted, every 16 decoded tokens</source>
        <translation>每解码 16 个 token，如何整理空闲槽位</translation>
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
        <translation>淘汰后序列的最大长度，单位 token</translation>
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
        <translation>另一序列共享提示词的块，因此淘汰不会释放它们，整理也会跳过它们</translation>
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
        <translation>真实的缓存池和真实的淘汰方法；键和值是随机的，不来自模型。</translation>
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
        <translation>下次淘汰</translation>
    </message>
    <message>
        <source>Go to the next eviction</source>
        <translation>转到下次淘汰</translation>
    </message>
    <message>
        <source>next compaction</source>
        <translation>下次整理</translation>
    </message>
    <message>
        <source>Go to the next compaction</source>
        <translation>转到下次整理</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step of the walk-through: decoded token, eviction or compaction</source>
        <translation>演示的步骤：解码的 token、淘汰或整理</translation>
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
        <translation>已淘汰但其块未释放的 KV 条目</translation>
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
</context>
<context>
    <name>kvantage::PoolWalkModel</name>
    <message>
        <source>Keeps the first four tokens and the newest ones; each new token evicts the oldest of the rest</source>
        <translation>保留前四个 token 和最新的 token；每个新 token 淘汰其余中最旧的</translation>
    </message>
    <message>
        <source>Unstructured, by key norm</source>
        <translation>非结构化，按键范数</translation>
    </message>
    <message>
        <source>Each new token evicts the KV entry with the largest key norm, in whatever block it is</source>
        <translation>每个新 token 淘汰键范数最大的 KV 条目，不论它在哪个块</translation>
    </message>
    <message>
        <source>Unstructured, KeyDiff</source>
        <translation>非结构化，KeyDiff</translation>
    </message>
    <message>
        <source>Each new token evicts the KV entry whose key is closest to the mean key</source>
        <translation>每个新 token 淘汰键最接近平均键的 KV 条目</translation>
    </message>
    <message>
        <source>Whenever a page is full, evicts the whole page with the lowest mean ||v|| / ||k||</source>
        <translation>每当一页写满，淘汰平均 ||v|| / ||k|| 最低的整页</translation>
    </message>
    <message>
        <source>no compaction</source>
        <translation>不整理</translation>
    </message>
    <message>
        <source>Free slots stay until the last KV entry of their block is evicted</source>
        <translation>空闲槽位保留到其块的最后一个 KV 条目被淘汰</translation>
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
</context>
<context>
    <name>kvantage::ReplayController</name>
    <message>
        <source>%1 evicted</source>
        <translation>%1 已淘汰</translation>
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
        <source>eviction</source>
        <translation>淘汰</translation>
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
        <translation>淘汰</translation>
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
            <numerusform>%n 次淘汰</numerusform>
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
        <source>Stop reading and keep the current view</source>
        <translation>停止读取并保持当前视图</translation>
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
    <name>kvantage::ReproduceDock</name>
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
        <source>Progress of the figure</source>
        <translation>图表进度</translation>
    </message>
    <message>
        <source>Figure status</source>
        <translation>图表状态</translation>
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
        <source>No requests yet. Press Start.</source>
        <translation>尚无请求。请按“开始”。</translation>
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
        <source>Requests appear here as they arrive. Press Start.</source>
        <translation>请求到达后会显示在此。请按“开始”。</translation>
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
</context>
<context>
    <name>kvantage::RunFiguresModel</name>
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
        <source>Show only runs that contain each of these words in any column</source>
        <translation>仅显示任一列中包含每个词的运行</translation>
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
        <source>One row per recorded run. Select 2–8 to compare them.</source>
        <translation>每行一个已记录的运行。选择 2–8 个进行比较。</translation>
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
        <source>No runs yet. Press Start to serve the workload, or import a run file.</source>
        <translation>尚无运行。请按“开始”运行该工作负载，或导入运行文件。</translation>
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
        <source>Alpha</source>
        <translation>Alpha</translation>
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
</context>
<context>
    <name>kvantage::SeriesChart</name>
    <message>
        <source>Chart of a figure</source>
        <translation>图表</translation>
    </message>
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
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Hover over a point to see its line</source>
        <translation>悬停在点上可查看其所属曲线</translation>
    </message>
    <message>
        <source>Bars: 95 % interval of the mean</source>
        <translation>误差条：平均值的 95 % 区间</translation>
    </message>
    <message>
        <source>%1 (95 %: %2 to %3)</source>
        <translation>%1（95 %：%2 至 %3）</translation>
    </message>
    <message>
        <source>Nothing to plot: no row has both values. See the table.</source>
        <translation>无可绘制内容：没有行同时具备两个值。请查看表格。</translation>
    </message>
    <message>
        <source>All lines are hidden. Click one in the legend to show it.</source>
        <translation>所有曲线都已隐藏。点击图例中的曲线可显示。</translation>
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
    <name>kvantage::StartPage</name>
    <message>
        <source>New here? Start with a lesson</source>
        <translation>第一次使用？从课程开始</translation>
    </message>
    <message>
        <source>A lesson starts when loading finishes. See also Help &gt; Lessons.</source>
        <translation>加载完成后课程开始。另见“帮助 &gt; 课程”。</translation>
    </message>
    <message>
        <source>Start with a lesson</source>
        <translation>从课程开始</translation>
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
        <source>Budget of %1, in MiB including headers. Dragging previews the prediction; releasing applies it.</source>
        <translation>%1 的预算，单位 MiB，含头部。拖动可预览预测；松开则应用。</translation>
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
        <source>No loads from %1 yet. Press Start; each hit adds a point.</source>
        <translation>尚无来自 %1 的加载。请按“开始”；每次命中增加一个点。</translation>
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
        <source>another workbench replaced it; the new version is read next</source>
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
        <source>another workbench stored a newer version</source>
        <translation>另一工作台存储了更新的版本</translation>
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
        <source>caches added by other workbenches</source>
        <translation>由其他工作台添加的缓存</translation>
    </message>
    <message>
        <source>caches removed by other workbenches or the server</source>
        <translation>被其他工作台或服务器移除的缓存</translation>
    </message>
    <message>
        <source>torn or outdated files removed when the tier was opened</source>
        <translation>层级打开时移除的撕裂或过时文件</translation>
    </message>
    <message>
        <source>files skipped when the tier was opened, as the device refused them</source>
        <translation>层级打开时因设备拒绝而跳过的文件</translation>
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
        <translation>✕ 淘汰</translation>
    </message>
    <message>
        <source>Mark along the bottom: action of the policy</source>
        <translation>底部标记：策略的动作</translation>
    </message>
</context>
<context>
    <name>kvantage::TimeLineChart</name>
    <message>
        <source>Timeline of a figure</source>
        <translation>图表的时间线</translation>
    </message>
    <message>
        <source>%1; arrow keys move between points</source>
        <translation>%1；方向键在点之间移动</translation>
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
    <name>kvantage::TokenMap</name>
    <message>
        <source>Arrow keys move between tokens</source>
        <translation>方向键在 token 之间移动</translation>
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
        <source>α is the TTFT, in seconds, that a perfect answer is worth. Drag the slider: the current point moves along the curve. Release it, and the engine follows.</source>
        <translation>α 是一个完美回答值多少秒 TTFT。拖动滑块：当前点沿曲线移动。松开后，引擎随之调整。</translation>
    </message>
    <message>
        <source>Budgets: limit the fast memory</source>
        <translation>预算：限制快速内存</translation>
    </message>
    <message>
        <source>A tier never exceeds its budget, so caches are compressed, demoted or evicted. Drag this one and watch the whole curve change.</source>
        <translation>层级绝不超出其预算，因此缓存会被压缩、降级或淘汰。拖动它，观察整条曲线的变化。</translation>
    </message>
    <message>
        <source>Frontier: all trade-offs at a glance</source>
        <translation>前沿：一览所有权衡</translation>
    </message>
    <message>
        <source>Lines are predicted for every α. Points with bars are measured as requests finish; other policies are shown for comparison. Select a family above the chart: each family has its own curve.</source>
        <translation>线条是对每个 α 的预测。带误差条的点随请求完成而实测；同时显示其他策略以供比较。在图表上方选择一个族：每个族都有自己的曲线。</translation>
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
</context>
</TS>
