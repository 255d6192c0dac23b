// Rows of the catalog in core_text.cpp. Figures of KVPR and their settings.
// clang-format off
QT_TRANSLATE_NOOP("core", "Model width"),
QT_TRANSLATE_NOOP("core", "Hidden size of the random-weight model, a multiple of 64; heads are 64 wide"),
QT_TRANSLATE_NOOP("core", "Prompt (tokens)"),
QT_TRANSLATE_NOOP("core", "Length of the longest prompt, of random tokens"),
QT_TRANSLATE_NOOP("core", "Generated (tokens)"),
QT_TRANSLATE_NOOP("core", "Maximum number of decoded tokens"),
QT_TRANSLATE_NOOP("core", "Seed"),
QT_TRANSLATE_NOOP("core", "Seed of the weights and the prompt"),
QT_TRANSLATE_NOOP("core", "Sequences"),
QT_TRANSLATE_NOOP("core", "Maximum batch size"),
QT_TRANSLATE_NOOP("core", "Bandwidths (MB/s)"),
QT_TRANSLATE_NOOP("core", "where loading a token takes as long as recomputing it"),
QT_TRANSLATE_NOOP("core", "Bandwidths that the tier is throttled to, comma-separated: MB/s, or multiples of the "
                          "break-even one such as 0.25x,1x,4x"),
QT_TRANSLATE_NOOP("core", "Bandwidths that the tier is throttled to, comma-separated: MB/s, or multiples of the "
                          "break-even one such as 0.25x,1x,4x; break-even alone by default, as this figure takes long "
                          "at each"),
QT_TRANSLATE_NOOP("core", "Number of blocks: each measures every cell once, in an order drawn for it; intervals "
                          "are over the blocks"),
QT_TRANSLATE_NOOP("core", " A random-weight OPT of 4 layers with heads 64 wide, on a tier in memory throttled to "
                          "a bandwidth, by default so that loading a token takes as long as recomputing it."),
QT_TRANSLATE_NOOP("core", " A random-weight OPT of 4 layers with heads 64 wide, on a tier in memory throttled to "
                          "bandwidths below, at and above the one where loading a token takes as long as recomputing "
                          "it."),
QT_TRANSLATE_NOOP("core", "loading a layer's KV cache versus recomputing it"),
QT_TRANSLATE_NOOP("core", "Widths 256, 512 and 1,024: time to transfer a layer's keys and values, time to "
                          "recompute them, and the rest of a layer of a decode step, its MLP included. The bandwidth "
                          "is that of the widest. The claim needs one in MB/s: a multiple of break-even sets the "
                          "ratio.%1"),
QT_TRANSLATE_NOOP("core", "Transfer takes longer than recomputing, and both grow with the width: the processor "
                          "stalls."),
QT_TRANSLATE_NOOP("core", "A100, PCIe 4.0: hidden 4,096 (512 MB) 15.6 ms to transfer and 0.3509 ms to compute keys and "
                          "values; 5,120 (640 MB) 19.5 and 0.4388; 7,168 (896 MB) 27.3 and 0.6143: 44 times as long"),
QT_TRANSLATE_NOOP("core", "sizes of KV caches, by arithmetic"),
QT_TRANSLATE_NOOP("core", "Computes each size of a KV cache that tables 1 to 4 print from the model's published shape, "
                          "the batch and the lengths: a layer in tables 1 and 2, all layers in tables 3 and 4."),
QT_TRANSLATE_NOOP("core", "Each printed size follows from the shape, within rounding."),
QT_TRANSLATE_NOOP("core", "a layer 512, 640 and 896 MB (table 1) and 3 - 64 MB (table 2); all layers 5.0 - 20.0 GB "
                          "(table 3) and 7.812 - 31.250 GB (table 4)"),
QT_TRANSLATE_NOOP("core", "weights streamed as well: recomputing after all of them, or after W_K and W_V"),
QT_TRANSLATE_NOOP("core", "Batches of 1, 2, 4, 8, 16 and 32 sequences column by column, with every layer's "
                          "matrices streamed from the tier once per step: loading alone (as FlexGen does), the "
                          "split that starts after all weights, and the split that starts after W_K and W_V.%1"),
QT_TRANSLATE_NOOP("core", "The split after W_K and W_V is never slower than loading alone, and faster where keys and "
                          "values dominate."),
QT_TRANSLATE_NOOP("core", "OPT-6.7B, prompt 256, 64 generated, batch 1 - 32: 1.761 - 41.210 tokens/s (FlexGen), "
                          "1.749 - 43.462 (without hiding), 1.774 - 43.945 (with)"),
QT_TRANSLATE_NOOP("core", "decode throughput on a slower machine"),
QT_TRANSLATE_NOOP("core", "Half the threads and half the link bandwidth of the other figures; prompts of a quarter, "
                          "half and all of the length, a quarter and all of the generated tokens, a batch decoded "
                          "column by column, weights streamed: loading alone (FlexGen) versus the solved split.%1"),
QT_TRANSLATE_NOOP("core", "The split decodes more tokens per second at every length."),
QT_TRANSLATE_NOOP("core", "OPT-6.7B on a Quadro RTX 5000 over PCIe 4.0 x8: 6.6 - 15.9 % more tokens/s than FlexGen "
                          "(table 5)"),
QT_TRANSLATE_NOOP("core", "the pipeline of a decode step, loading alone and split"),
QT_TRANSLATE_NOOP("core", "Timeline of the last step of a short generation, layer by layer: transfers of weights, "
                          "layer inputs, keys and values over the link; recomputation of keys and values and the "
                          "layer itself on the processor. Weights are streamed, W_K and W_V first.%1"),
QT_TRANSLATE_NOOP("core", "Recomputing keys and values overlaps with loading the others, and the processor stalls "
                          "less."),
QT_TRANSLATE_NOOP("core", "A drawing of the two pipelines (figure 3), without numbers"),
QT_TRANSLATE_NOOP("core", "decode throughput against length and batch, column by column"),
QT_TRANSLATE_NOOP("core", "A batch decodes column by column: each layer for all sequences before the next layer, "
                          "with every layer's matrices streamed once per step. Loading alone (FlexGen) versus the "
                          "solved split, over prompts of a quarter, half and all of the length with half as many "
                          "sequences, and over batches from one sequence to all with a quarter of the generated "
                          "tokens.%1"),
QT_TRANSLATE_NOOP("core", "The split has higher throughput everywhere. Its gain grows with the batch, as keys and "
                          "values then outweigh the matrices."),
QT_TRANSLATE_NOOP("core", "Up to 15.1, 46.2 and 29.0 % more tokens/s than FlexGen with OPT-6.7B, 13B and 30B; more "
                          "with larger batches (figure 6)"),
QT_TRANSLATE_NOOP("core", "decode latency and throughput against prompt and generation length"),
QT_TRANSLATE_NOOP("core", "Prompts of a quarter, half and all of the length, a quarter and all of the generated "
                          "tokens: loading alone (as Accelerate does) versus the solved split, one sequence at a "
                          "time, with the scheduler's predictions, next to the paper's tables 3 and 4.%1 On the "
                          "command line, --model selects another model."),
QT_TRANSLATE_NOOP("core", "The split takes less time than loading alone at every length, with the same answers."),
QT_TRANSLATE_NOOP("core", "OPT-6.7B, batch 64: decode latency 14.8 - 35.8 % lower than Accelerate's (table 3); "
                          "OPT-13B 10.5 - 19.8 % (table 4)"),
QT_TRANSLATE_NOOP("core", "decoding with 4-bit keys and values"),
QT_TRANSLATE_NOOP("core", "Loading alone and the solved split, both unquantized, and loading alone with keys and "
                          "values in 4 bits in groups of 32 (kivi4 without a residual): time per token, bytes "
                          "transferred, share of unchanged greedy tokens. Layer inputs are not quantized; where they "
                          "are larger than the quantized keys and values, the scheduler refuses a split.%1"),
QT_TRANSLATE_NOOP("core", "4 bits transfer about a quarter of the bytes and take less time than either unquantized "
                          "variant."),
QT_TRANSLATE_NOOP("core", "OPT-13B: decoding throughput rises with compression enabled (figure 9, no numbers given)"),
QT_TRANSLATE_NOOP("core", "time breakdown of a decode step, loading alone and split"),
QT_TRANSLATE_NOOP("core", "Shares of a step: waiting for the link, recomputing keys and values, everything else; "
                          "bytes of keys and values and of layer inputs, and the share of the time that they take "
                          "at the link's bandwidth; share of the time that the processor is busy (its figure 8).%1"),
QT_TRANSLATE_NOOP("core", "The split transfers less and the processor stalls less: it recomputes while bytes load."),
QT_TRANSLATE_NOOP("core", "KV transfer 58 -> 38 % of the run time, layer inputs 8 %, GPU computation 2.3 -> 13.3 % "
                          "(figure 10); GPU utilization 85 -> 99 % (figure 8)"),
QT_TRANSLATE_NOOP("core", "the optimal split over the generation"),
QT_TRANSLATE_NOOP("core", "Recomputed tokens per layer at each generated token, as the scheduler solves the split "
                          "at each step, with predicted and measured time, averaged over the blocks. Splits are "
                          "whole chunks of 8 tokens. Decoded tokens are among them only where the model computes in "
                          "fp32: a decode step's layer inputs are fp32. A split of all of the prompt, or of nothing, "
                          "at both ends gives no verdict.%1"),
QT_TRANSLATE_NOOP("core", "The split changes with the sequence length and the step times; predictions are accurate."),
QT_TRANSLATE_NOOP("core", "OPT-6.7B, batch 64, prompt 128, 32 generated: l is solved at each step; the paper's text "
                          "gives 182 at the first and 128 at the 32nd token and says that it increases"),
QT_TRANSLATE_NOOP("core", "decode throughput with the Llama 2 architecture"),
QT_TRANSLATE_NOOP("core", "Prompts of a quarter, half and all of the length, a quarter and all of the generated "
                          "tokens, decoded as a batch: loading alone (Accelerate) versus the solved split. A "
                          "random-weight Llama of 4 layers (heads 64 wide with keys and values each, RoPE, "
                          "RMSNorm, gated MLP), on a tier in memory throttled to a bandwidth, by default so that "
                          "loading a token takes as long as recomputing it."),
QT_TRANSLATE_NOOP("core", "The split decodes more tokens per second at every length: recomputed keys are rotated to "
                          "their positions."),
QT_TRANSLATE_NOOP("core", "Consistently more tokens/s than DeepSpeed Inference and Accelerate with LLaMa2-7B and "
                          "13B, batch 64 (figure 13, no numbers given)"),
QT_TRANSLATE_NOOP("core", "a prompt's whole cache: loading, recomputing, and split"),
QT_TRANSLATE_NOOP("core", "Prompts of a quarter, half and all of the length, prefilled and written with their "
                          "layer inputs, are restored into a resident cache: loading keys and values alone, "
                          "recomputing all of them from layer inputs, and the solved split; measured and "
                          "predicted seconds and bytes, averaged over the blocks. Each cache is compared with the "
                          "prefill's, bit for bit.%1 On the command line, --model selects another model."),
QT_TRANSLATE_NOOP("core", "The split is faster than either alone, and transfers as many bytes as predicted."),
QT_TRANSLATE_NOOP("core", "No such figure: the paper splits each decode step. Here the same split serves a context "
                          "that is loaded once and then stays resident"),
    // clang-format on
