#include "models/config/families.h"

#include <string.h>

#include "models/config/words.h"

static const char encoder_decoder[] =
    "it has an encoder and a decoder, whose sequences have lengths of their own, with attention "
    "from one to the other";
static const char both_sides[] = "its windows reach to both sides of a query";
static const char own_keys[] = "its queries attend to keys that are no tokens of the sequence";

#define LLAMA_SIZES                                                                                \
    "{\"hidden_size\": 4096, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "             \
    "\"vocab_size\": 32000}"
#define MISTRAL_SIZES                                                                              \
    "{\"hidden_size\": 4096, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "             \
    "\"num_key_value_heads\": 8, \"vocab_size\": 32000}"
#define GEMMA_2_SIZES                                                                              \
    "{\"hidden_size\": 2304, \"num_hidden_layers\": 26, \"num_attention_heads\": 8, "              \
    "\"num_key_value_heads\": 4, \"vocab_size\": 256000}"
#define GEMMA_3_SIZES                                                                              \
    "{\"hidden_size\": 2304, \"num_hidden_layers\": 26, \"num_attention_heads\": 8, "              \
    "\"num_key_value_heads\": 4, \"vocab_size\": 262208}"
#define LATENT "\"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64"

/* From the models' public code, mostly huggingface/transformers (configuration_*.py and, for what
 * is rotated and masked, modeling_*.py of versions 4.57 and 5). */
const struct model_family model_families[] = {
    /* windows */
    {"gemma", "{\"head_dim\": 256}",
     "{\"hidden_size\": 3072, \"num_hidden_layers\": 28, \"num_attention_heads\": 16, "
     "\"vocab_size\": 256000}"},
    {"gemma2 vaultgemma", "{\"head_dim\": 256, \"sliding_window\": 4096}", GEMMA_2_SIZES, "SF"},
    {"gemma3_text gemma3 shieldgemma2",
     "{\"head_dim\": 256, \"sliding_window\": 4096, \"rope_theta\": 1000000, "
     "\"rope_local_base_freq\": 10000}",
     GEMMA_3_SIZES, "SSSSSF"},
    {"beam", "{\"head_dim\": 128, \"sliding_window\": 512}", NULL, "SSSSSF",
     FAMILY_ROPE_IN_WINDOWS},
    {"gemma3n_text gemma3n",
     "{\"head_dim\": 256, \"sliding_window\": 512, \"rope_theta\": 1000000, "
     "\"rope_local_base_freq\": 10000}",
     "{\"hidden_size\": 2048, \"num_hidden_layers\": 35, \"num_attention_heads\": 8, "
     "\"num_key_value_heads\": 2, \"vocab_size\": 262400}",
     "SSSSF"},
    {"gemma4_text gemma4 gemma4_unified_text gemma4_unified",
     "{\"head_dim\": 256, \"global_head_dim\": 512, \"attention_k_eq_v\": false, "
     "\"sliding_window\": 512, \"rope_parameters\": {\"sliding_attention\": {\"rope_theta\": "
     "10000}, \"full_attention\": {\"rope_theta\": 1000000, \"partial_rotary_factor\": 0.25}}}",
     "{\"hidden_size\": 2304, \"num_hidden_layers\": 30, \"num_attention_heads\": 8, "
     "\"num_key_value_heads\": 4, \"vocab_size\": 262144}",
     "SSSSSF"},
    {"cohere2 cohere2_moe cohere_compass_text", "{\"sliding_window\": 4096}", NULL, "SSSF",
     FAMILY_ROPE_IN_WINDOWS},
    {"gpt_oss", "{\"head_dim\": 64, \"sliding_window\": 128, \"rope_theta\": 150000}", NULL, "SF"},
    {"olmo3", "{\"sliding_window\": 4096, \"rope_theta\": 500000}", NULL, "SSSF"},
    {"exaone4 exaone_moe exaone4_5_text", "{\"sliding_window\": 4096}", NULL, "SSSF",
     FAMILY_ROPE_IN_WINDOWS},
    {"afmoe", "{\"head_dim\": 128, \"sliding_window\": 1024}", NULL, "SSSF",
     FAMILY_ROPE_IN_WINDOWS},
    {"kolibri1", "{\"head_dim\": 128, \"sliding_window\": 513}", NULL, "SSSSF",
     FAMILY_ROPE_IN_WINDOWS},
    {"cwm", "{\"sliding_window\": 8192}", NULL, "FSSS"},
    {"granite_swa granitemoe_swa", "{\"sliding_window\": 128}", NULL, "FSSS"},
    {"mistral", "{\"sliding_window\": 4096}", MISTRAL_SIZES},
    {"ministral", "{\"sliding_window\": 4096}", NULL, "S"},
    {"mixtral", "{\"rope_theta\": 1000000}", MISTRAL_SIZES},
    {"mimo_v2_flash", "{\"head_dim\": 192, \"v_head_dim\": 128, \"partial_rotary_factor\": 0.334}"},
    {"laguna", "{\"head_dim\": 128, \"sliding_window\": 512, \"rope_parameters\": "
               "{\"full_attention\": {\"rope_theta\": 500000, \"partial_rotary_factor\": 0.5}, "
               "\"sliding_attention\": {\"rope_theta\": 10000}}}"},
    {"gpt_neo", "{\"window_size\": 256}", NULL, "FS", FAMILY_NO_ROPE},
    {"dots1", "{\"sliding_window\": 4096, \"max_window_layers\": 62}"},
    {"qwen2 qwen2_audio",
     "{\"use_sliding_window\": false, \"sliding_window\": 4096, \"max_window_layers\": 28}",
     "{\"hidden_size\": 4096, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
     "\"vocab_size\": 151936}"},
    {"qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text",
     "{\"use_sliding_window\": false, \"sliding_window\": 4096, \"max_window_layers\": 80}"},
    {"qwen2_5_omni_text",
     "{\"use_sliding_window\": false, \"sliding_window\": 32768, \"max_window_layers\": 28}"},
    {"qwen2_moe",
     "{\"use_sliding_window\": false, \"sliding_window\": 4096, "
     "\"max_window_layers\": 28}",
     NULL, NULL, FAMILY_WINDOWS_EVEN},
    {"qwen3",
     "{\"head_dim\": 128, \"use_sliding_window\": false, \"sliding_window\": 4096, "
     "\"max_window_layers\": 28}",
     "{\"hidden_size\": 4096, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
     "\"vocab_size\": 151936}"},
    {"qwen3_moe qwen3_vl_moe_text qwen3_omni_moe_text",
     "{\"use_sliding_window\": false, \"sliding_window\": 4096}", NULL, NULL, FAMILY_WINDOWS_ALL},
    {"smollm3", "{\"use_sliding_window\": false, \"no_rope_layer_interval\": 4}"},
    /* chunks */
    {"llama4_text llama4",
     "{\"head_dim\": 128, \"attention_chunk_size\": 8192, \"no_rope_layer_interval\": 4, "
     "\"rope_theta\": 500000}",
     "{\"hidden_size\": 5120, \"num_hidden_layers\": 48, \"num_attention_heads\": 40, "
     "\"num_key_value_heads\": 8, \"vocab_size\": 202048}"},
    /* latent attention */
    {"deepseek_v2 deepseek_vl_v2", "{" LATENT ", \"v_head_dim\": 128}",
     "{\"hidden_size\": 4096, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
     "\"vocab_size\": 102400}"},
    {"deepseek_v32", "{" LATENT ", \"v_head_dim\": 128, \"index_topk\": 2048}"},
    {"axk1 youtu sarvam_mla", "{" LATENT ", \"v_head_dim\": 128}"},
    {"deepseek_v3 kimi_k2", "{" LATENT ", \"v_head_dim\": 128}",
     "{\"hidden_size\": 7168, \"num_hidden_layers\": 61, \"num_attention_heads\": 128, "
     "\"vocab_size\": 129280}"},
    {"glm_moe_dsa hy_v4",
     "{\"kv_lora_rank\": 512, \"qk_nope_head_dim\": 192, \"qk_rope_head_dim\": 64, "
     "\"v_head_dim\": 256, \"index_topk\": 2048}"},
    {"glm4_moe_lite",
     "{\"kv_lora_rank\": 512, \"qk_nope_head_dim\": 192, \"qk_rope_head_dim\": 64, "
     "\"v_head_dim\": 256}"},
    {"minicpm3", "{\"kv_lora_rank\": 256, \"qk_nope_head_dim\": 64, \"qk_rope_head_dim\": 32}",
     NULL, NULL, FAMILY_V_OF_HIDDEN},
    {"longcat_flash", "{" LATENT ", \"v_head_dim\": 128, \"rope_theta\": 10000000}", NULL, NULL,
     FAMILY_TWO_A_BLOCK},
    /* state spaces and linear attention beside softmax */
    {"qwen3_next qwen3_5_text qwen3_5 qwen3_5_moe_text qwen3_5_moe",
     "{\"head_dim\": 256, \"partial_rotary_factor\": 0.25}", NULL, "LLLF"},
    {"qwen4_exp_text qwen4_exp", "{\"head_dim\": 256}", NULL, "LLLI"},
    {"olmo_hybrid", NULL, NULL, "LLLF"},
    {"minimax", "{\"rope_theta\": 1000000}", NULL, "FL"},
    {"minimax_text_01 minimax_m1 MiniMaxText01 MiniMaxM1", NULL, NULL, "LLLLLLLF"},
    {"minimax_m2", "{\"head_dim\": 128, \"rope_theta\": 5000000}"},
    {"kimi_linear", "{" LATENT ", \"v_head_dim\": 128}", NULL, "LLLF", FAMILY_NO_ROPE},
    {"bailing_hybrid", "{" LATENT ", \"v_head_dim\": 128, \"layer_group_size\": 6}"},
    {"jamba", "{\"attn_layer_period\": 8, \"attn_layer_offset\": 4}", NULL, NULL, FAMILY_NO_ROPE},
    {"bamba", "{\"partial_rotary_factor\": 0.5}", NULL, "L"},
    {"zamba", NULL, NULL, NULL, FAMILY_NO_ROPE | FAMILY_WIDE_HEADS},
    {"zamba2", "{\"use_mem_rope\": false}", NULL, "LLLLLH", FAMILY_WIDE_HEADS},
    {"granitemoehybrid", "{\"position_embedding_type\": \"nope\"}", NULL, "L"},
    {"nemotron_h nemotron_h_v2", "{\"head_dim\": 128}", NULL, NULL, FAMILY_NO_ROPE},
    {"falcon_h1", NULL, NULL, "H"},
    {"hymba", NULL, NULL, "H", 0, NULL,
     "beside its attention each layer has a state space, which is not listed"},
    {"recurrent_gemma", "{\"attention_window_size\": 2048, \"partial_rotary_factor\": 0.5}", NULL,
     "LLS"},
    {"plamo2", "{\"attention_window_size\": 2048, \"mamba_step\": 2}"},
    {"lfm2 lfm2_moe", "{\"rope_theta\": 1000000}"},
    {"zaya", "{\"head_dim\": 128, \"partial_rotary_factor\": 0.5}", NULL, "H"},
    {"lara_mini", "{\"head_dim\": 128, \"sliding_window\": 512}", NULL, "LSLFS"},
    {"phi4flash", NULL, NULL, NULL, FAMILY_NO_ROPE, NULL,
     "differential attention, whose layers behind the middle reuse the K and V of one layer: "
     "counted as plain attention with K and V of its own"},
    {"mamba mamba2 falcon_mamba rwkv rwkv5 rwkv6 rwkv7 xlstm mega retnet gla", NULL, NULL, "L"},
    /* what is rotated */
    {"glm glm4", "{\"head_dim\": 128, \"partial_rotary_factor\": 0.5}"},
    {"glm4_moe glm4v_moe_text", "{\"partial_rotary_factor\": 0.5}"},
    {"chatglm", "{\"partial_rotary_factor\": 0.5}"},
    {"gpt_neox", "{\"rotary_pct\": 0.25}"},
    {"phi persimmon fuyu nemotron", "{\"partial_rotary_factor\": 0.5}"},
    {"stablelm stablelm_epoch", "{\"partial_rotary_factor\": 0.25}"},
    {"gptj codegen", "{\"rotary_dim\": 64}"},
    {"helium hy_v3 seed_oss solar_open ernie4_5 ernie4_5_moe", "{\"head_dim\": 128}"},
    {"llama code_llama", NULL, LLAMA_SIZES},
    {"gpt2 gpt-sw3 openai-gpt ctrl opt bloom mpt xglm biogpt jais cpmant imagegpt", NULL, NULL,
     NULL, FAMILY_NO_ROPE},
    {"gpt_bigcode", "{\"multi_query\": true}", NULL, NULL, FAMILY_NO_ROPE},
    {"falcon RefinedWebModel", "{\"multi_query\": true}"},
    {"RefinedWeb", "{\"new_decoder_architecture\": true}"},
    {"diffllama", NULL, NULL, NULL, 0, NULL,
     "differential attention, whose heads read V twice as wide: counted as plain attention"},
    {"paligemma colpali", NULL, NULL, NULL, 0, NULL,
     "image and prompt see each other whole, before a causal answer: counted as causal"},
    /* sparse selection */
    {"minimax_m3_vl_text minimax_m3_vl",
     "{\"head_dim\": 128, \"rotary_dim\": 64, \"rope_theta\": 5000000}"},
    {"phi3small", NULL, NULL, "IF"},
    /* queries that see what is behind them */
    {"bert bert-generation roberta roberta-prelayernorm xlm-roberta xlm-roberta-xl camembert "
     "electra albert distilbert deberta deberta-v2 mpnet ernie rembert megatron-bert data2vec-text "
     "xlm flaubert layoutlm nezha ibert xmod vit deit beit dinov2 siglip_vision_model "
     "clip_vision_model siglip2_vision_model",
     NULL, NULL, NULL, FAMILY_BIDIRECTIONAL | FAMILY_NO_ROPE},
    {"nomic_bert eurobert roformer esm new gte neobert llada llada_moe Dream dream", NULL, NULL,
     NULL, FAMILY_BIDIRECTIONAL},
    /* no kinds for them */
    {"modernbert embedding_gemma2 ultrabert openai_privacy_filter", NULL, NULL, NULL, 0,
     both_sides},
    {"t5 mt5 umt5 longt5 switch_transformers t5gemma t5gemma2 udop bart mbart mvp plbart pegasus "
     "pegasus_x bigbird_pegasus led marian m2m_100 nllb-moe blenderbot blenderbot-small prophetnet "
     "xlm-prophetnet fsmt whisper speech_to_text moonshine seamless_m4t seamless_m4t_v2 "
     "encoder-decoder vision-encoder-decoder speech-encoder-decoder musicgen bark trocr florence2",
     NULL, NULL, NULL, 0, encoder_decoder},
    {"big_bird", NULL, NULL, NULL, 0, "its queries attend to blocks of keys, some at random"},
    {"longformer", NULL, NULL, NULL, 0, both_sides},
    {"reformer", NULL, NULL, NULL, 0, "its queries attend to keys of the same hash"},
    {"xlnet", NULL, NULL, NULL, 0, "its queries see keys in the order of a permutation"},
    {"transfo-xl", NULL, NULL, NULL, 0, own_keys},
    {"funnel", NULL, NULL, NULL, 0, "its layers have sequences of different lengths"},
    {"deepseek_v4", NULL, NULL, NULL, 0, own_keys},
    {NULL},
};

const struct model_family *family_find(const char *type) {
    const struct model_family *row = model_families;
    while (row->types && !words_have(row->types, type, strlen(type)))
        row++;
    return row;
}
