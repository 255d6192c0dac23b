#!/usr/bin/env python3
"""Loads settings written by `kvantage-cli export` with the config classes of the released packages, from their wheels:
LMCache 0.5.6 (LMCacheEngineConfig.from_file) and vLLM 0.33.0 (CacheConfig, SchedulerConfig, KVTransferConfig). Nothing
is installed and no dependency of theirs is needed but PyYAML and, for vLLM, pydantic: of each package only the modules
of these classes are imported, straight from the wheel. torch and modules that only describe GPUs are replaced by empty
ones, which no check of a value calls. Names that classes look up when an engine starts (eviction orders, serializers,
schemes of urls, specs, types of tiers, extra settings) are read from the sources in the wheels.

usage: validate_exports.py lmcache|vllm FILE [--wheels FOLDER]      prints what was loaded as JSON
       validate_exports.py --accept FOLDER [--wheels FOLDER]        every *.yaml in FOLDER, whose name begins with its
                                                                    system; writes FOLDER/accepted.json with the
                                                                    version and the sha256 of each
       validate_exports.py --keys [--wheels FOLDER]                 LMCache's keys, as core/imported/serving has them
exit code 1 names what is wrong, 77: a wheel or a module is missing
FOLDER of wheels: $KVANTAGE_SERVING_WHEELS, else ~/.cache/kvantage/serving; tests/parity/fetch_serving_packages.sh
fills it.
"""

import argparse
import ast
import hashlib
import json
import logging
import os
import pathlib
import sys
import textwrap
import types
import zipfile

WHEELS = {"lmcache": ("lmcache-0.5.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", "LMCache 0.5.6"),
          "vllm": ("vllm-0.33.0-cp38-abi3-manylinux_2_28_x86_64.whl", "vLLM 0.33.0")}


def missing(text):
    print(text, file=sys.stderr)
    sys.exit(77)


class Wheel:
    """The sources of a package; importable once its packages are declared."""

    def __init__(self, folder, system):
        name, self.version = WHEELS[system]
        self.path = pathlib.Path(folder) / name
        if not self.path.is_file():
            missing(f"{self.path} is not there; run tests/parity/fetch_serving_packages.sh {folder} {system}")
        self.zip = zipfile.ZipFile(self.path)

    def package(self, name):
        """Declares a package without running its __init__."""
        module = types.ModuleType(name)
        module.__path__ = [f"{self.path}/{name.replace('.', '/')}"]
        sys.modules[name] = module

    def source(self, name):
        return self.zip.read(name).decode("utf-8")

    def tree(self, name):
        return ast.parse(self.source(name))

    def sources_below(self, folder):
        return [name for name in self.zip.namelist() if name.startswith(folder) and name.endswith(".py")]


def empty_module(name, **members):
    module = types.ModuleType(name)
    for key, value in members.items():
        setattr(module, key, value)
    sys.modules[name] = module


def first_texts_of_calls(tree, name):
    """The first argument, a text, of each call of a function or method of this name."""
    texts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if function == name and isinstance(node.args[0].value, str):
                texts.add(node.args[0].value)
    return texts


# LMCache

class Complaints(logging.Handler):
    """What LMCache only warns of while it loads: unknown keys and values that it cannot convert."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


def lmcache_classes(wheel):
    for name in ("lmcache", "lmcache.v1"):
        wheel.package(name)
    try:
        import requests  # noqa: F401
    except ImportError:  # for settings from a server, which no file here has
        empty_module("requests", RequestException=Exception)
    os.environ.setdefault("LMCACHE_LOG_LEVEL", "ERROR")
    from lmcache.v1 import config, config_base
    complaints = Complaints()
    for module in (config, config_base):
        module.logger.handlers = [complaints]
        module.logger.setLevel(logging.WARNING)
    return config, complaints


def lmcache_names(wheel):
    policies = set()
    for node in ast.walk(wheel.tree("lmcache/v1/storage_backend/cache_policy/__init__.py")):
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "POLICY_MAPPING":
            policies = {key.value for key in node.value.keys}
    serializers = {node.comparators[0].value
                   for node in ast.walk(wheel.tree("lmcache/v1/storage_backend/naive_serde/__init__.py"))
                   if isinstance(node, ast.Compare) and isinstance(node.comparators[0], ast.Constant)}
    schemes = set()
    for name in wheel.sources_below("lmcache/v1/storage_backend/connector/"):
        schemes |= {text for text in first_texts_of_calls(wheel.tree(name), "__init__") if text.endswith("://")}
        for node in ast.walk(wheel.tree(name)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith("://"):
                schemes.add(node.value)
    assert policies and serializers and schemes, "the sources of the package have another form"
    return policies, serializers, schemes


def load_lmcache(wheel, path):
    import yaml
    config, complaints = lmcache_classes(wheel)
    complaints.texts.clear()
    loaded = config.LMCacheEngineConfig.from_file(str(path))
    loaded.validate()
    if complaints.texts:
        sys.exit(f"{path}: LMCache says: {complaints.texts[0]}")
    with open(path, encoding="utf-8") as file:
        written = yaml.safe_load(file)
    policies, serializers, schemes = lmcache_names(wheel)
    values = {}
    for key, value in written.items():
        wanted = config._CONFIG_DEFINITIONS[key]["type"]
        wanted = {t for t in getattr(wanted, "__args__", (wanted,)) if t is not type(None)}
        values[key] = getattr(loaded, key)
        if type(value) not in wanted:
            sys.exit(f"{path}: {key}: {value!r} is not of the type that LMCache declares")
        if key != "local_disk" and values[key] != value:
            sys.exit(f"{path}: {key}: {value!r} is loaded as {values[key]!r}")
    if values.get("cache_policy", "LRU") not in policies:
        sys.exit(f"{path}: cache_policy {values['cache_policy']} is none of {sorted(policies)}")
    if values.get("remote_serde", "naive") not in serializers:
        sys.exit(f"{path}: remote_serde {values['remote_serde']} is none of {sorted(serializers)}")
    if "remote_url" in values and not values["remote_url"].startswith(tuple(schemes)):
        sys.exit(f"{path}: remote_url {values['remote_url']} is of no connector")
    return values


def lmcache_keys(wheel):
    config, _ = lmcache_classes(wheel)
    text = ("// Keys that LMCache 0.5.6 reads from its file (lmcache/v1/config.py: _CONFIG_DEFINITIONS, "
            "_DEPRECATED_CONFIGS). It\n// warns of others and ignores them. Written by "
            "tests/parity/validate_exports.py --keys.\n// clang-format off\n")
    names = [f'"{key}"' for key in [*config._CONFIG_DEFINITIONS, *config._DEPRECATED_CONFIGS]]
    return text + "\n".join(textwrap.wrap(", ".join(names), 116)) + "\n// clang-format on\n"


# vLLM

def vllm_classes(wheel):
    try:
        import pydantic  # noqa: F401
    except ImportError:
        missing("pydantic is not there, which vLLM's config classes are made of; pip install pydantic pyyaml")
    for name in ("vllm", "vllm.config", "vllm.utils", "vllm.v1"):
        wheel.package(name)

    def quiet(*arguments, **more):
        return None

    def no(*arguments, **more):
        return False

    logger = types.SimpleNamespace(debug=quiet, info=quiet, warning=quiet, error=quiet, warning_once=quiet,
                                   info_once=quiet)
    empty_module("torch", dtype=type("dtype", (), {}))
    empty_module("vllm.logger", init_logger=lambda name: logger)
    sys.modules["vllm"].envs = types.ModuleType("vllm.envs")
    sys.modules["vllm.envs"] = sys.modules["vllm"].envs
    empty_module("vllm.utils.torch_utils", STR_DTYPE_TO_TORCH_DTYPE={})
    empty_module("vllm.utils.hashing", safe_hash=hashlib.sha256)
    empty_module("vllm.utils.import_utils", resolve_obj_by_qualname=quiet)
    empty_module("vllm.v1.kv_cache_interface", KVQuantMode=type("KVQuantMode", (), {}), is_quantized_kv_cache=no,
                 kv_cache_uses_per_token_head_scales=no)
    empty_module("vllm.platforms", current_platform=types.SimpleNamespace(device_type="cpu"))
    from vllm.config.cache import CacheConfig
    from vllm.config.kv_transfer import KVTransferConfig
    from vllm.config.scheduler import SchedulerConfig
    return CacheConfig, SchedulerConfig, KVTransferConfig


def options_of_serve(wheel):
    """Of vllm serve, without --, from the calls that declare them."""
    options = set()
    for name in ("vllm/engine/arg_utils.py", "vllm/entrypoints/launcher.py"):
        if name in wheel.zip.namelist():
            options |= {text[2:] for text in first_texts_of_calls(wheel.tree(name), "add_argument")
                        if text.startswith("--")}
    assert "kv-transfer-config" in options, "the sources of the package have another form"
    return options


def extra_settings(wheel):
    """Keys that the offloading reads from kv_connector_extra_config."""
    keys = set()
    names = wheel.sources_below("vllm/v1/kv_offload/") + wheel.sources_below(
        "vllm/distributed/kv_transfer/kv_connector/v1/offloading/")
    for name in names:
        for node in ast.walk(wheel.tree(name)):
            if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
                    and node.args and isinstance(node.args[0], ast.Constant)
                    and (getattr(node.func.value, "attr", "") == "extra_config"
                         or getattr(node.func.value, "id", "") == "extra_config")):
                keys.add(node.args[0].value)
    return keys


def parameters_of_fs(wheel):
    for node in ast.walk(wheel.tree("vllm/v1/kv_offload/tiering/fs/manager.py")):
        if isinstance(node, ast.ClassDef) and node.name == "FileSystemTierManager":
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                    return {argument.arg for argument in method.args.args} | {"type"}
    sys.exit("the tier fs has another form")


def check_offloading(wheel, path, extra, block):
    known = extra_settings(wheel)
    for key in extra:
        if key not in known:
            sys.exit(f"{path}: kv_connector_extra_config: {key} is read by nothing in vLLM's offloading")
    specs = first_texts_of_calls(wheel.tree("vllm/v1/kv_offload/factory.py"), "register_spec")
    policies = first_texts_of_calls(wheel.tree("vllm/v1/kv_offload/cpu/policies/factory.py"), "register_cache_policy")
    tiers = first_texts_of_calls(wheel.tree("vllm/v1/kv_offload/tiering/factory.py"), "register_tier")
    for value, names in ((extra.get("spec_name", "CPUOffloadingSpec"), specs),
                         (extra.get("eviction_policy", "lru"), policies),
                         *((tier["type"], tiers) for tier in extra.get("secondary_tiers", []))):
        if value not in names:
            sys.exit(f"{path}: {value} is none of {sorted(names)}")
    if type(extra["cpu_bytes_to_use"]) is not int or extra["cpu_bytes_to_use"] <= 0:
        sys.exit(f"{path}: cpu_bytes_to_use is no number of bytes")
    if extra.get("block_size", block) % block != 0:
        sys.exit(f"{path}: block_size is no multiple of {block}")
    for tier in extra.get("secondary_tiers", []):
        if tier["type"] == "fs" and not set(tier) <= parameters_of_fs(wheel):
            sys.exit(f"{path}: the tier fs takes none of {sorted(set(tier) - parameters_of_fs(wheel))}")


def load_vllm(wheel, path):
    import yaml
    cache_config, scheduler_config, transfer_config = vllm_classes(wheel)
    with open(path, encoding="utf-8") as file:
        written = yaml.safe_load(file)
    options = options_of_serve(wheel)
    cache, loaded = {}, {}
    for key, value in written.items():
        if key not in options:
            sys.exit(f"{path}: vllm serve has no option --{key}")
        if key == "kv-transfer-config":
            transfer = transfer_config(**json.loads(value))
            loaded[key] = {"kv_connector": transfer.kv_connector, "kv_role": transfer.kv_role,
                           "kv_connector_extra_config": transfer.kv_connector_extra_config}
            check_offloading(wheel, path, transfer.kv_connector_extra_config, cache_config.DEFAULT_BLOCK_SIZE)
        elif key == "max-num-seqs":
            fields = scheduler_config.__pydantic_fields__
            if "max_num_seqs" not in fields or type(value) is not int or value < 1:
                sys.exit(f"{path}: max-num-seqs {value!r} is no number of requests")
            loaded[key] = value
        else:
            cache[{"kv-cache-dtype": "cache_dtype"}.get(key, key.replace("-", "_"))] = value
    made = cache_config(**cache)
    loaded.update({key: getattr(made, key) for key in cache})
    return loaded


LOADERS = {"lmcache": load_lmcache, "vllm": load_vllm}


def load(folder, system, path):
    wheel = Wheel(folder, system)
    try:
        return wheel.version, LOADERS[system](wheel, path)
    except (ValueError, TypeError, KeyError, AssertionError) as error:  # the classes refuse
        sys.exit(f"{path}: {system}: {error}")


def accept(wheels, folder):
    accepted = {}
    for path in sorted(pathlib.Path(folder).glob("*.yaml")):
        version, values = load(wheels, path.name.split("-", 1)[0], path)
        accepted[path.name] = {"package": version, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                               "loaded": values}
    if not accepted:
        sys.exit(f"{folder}: has no *.yaml")
    text = json.dumps(accepted, indent=1, sort_keys=True) + "\n"
    (pathlib.Path(folder) / "accepted.json").write_text(text, encoding="utf-8")
    print(f"{len(accepted)} files accepted")


def main():
    default = os.environ.get("KVANTAGE_SERVING_WHEELS") or os.path.join(
        os.environ.get("KVANTAGE_CACHE") or os.path.expanduser("~/.cache/kvantage"), "serving")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", nargs="?", choices=sorted(LOADERS))
    parser.add_argument("file", nargs="?")
    parser.add_argument("--accept", metavar="FOLDER")
    parser.add_argument("--keys", action="store_true")
    parser.add_argument("--wheels", metavar="FOLDER", default=default)
    arguments = parser.parse_args()
    try:
        import yaml  # noqa: F401
    except ImportError:
        missing("PyYAML is not there; pip install pyyaml")
    if arguments.accept:
        accept(arguments.wheels, arguments.accept)
    elif arguments.keys:
        print(lmcache_keys(Wheel(arguments.wheels, "lmcache")), end="")
    elif arguments.file:
        version, values = load(arguments.wheels, arguments.system, arguments.file)
        print(json.dumps({"package": version, "loaded": values}))
    else:
        parser.error("give a system and a file, --accept FOLDER or --keys")


if __name__ == "__main__":
    main()
