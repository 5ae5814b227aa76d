# SPDX-License-Identifier: Apache-2.0
"""Judges manifests by the types of Kubernetes' API, as Debian's python3-kubernetes has them: unknown fields, values of
another type, required ones that are missing. Of kinds that are not Kubernetes' own, the pods in them, and the fields of
those whose types are public in Go: kubeflow/mpi-operator (pkg/apis/kubeflow/v2beta1/types.go), kubernetes-sigs/jobset
(api/jobset/v1alpha2/jobset_types.go), kubeflow/trainer (pkg/apis/trainer/v1alpha1/*_types.go), NVIDIA/skyhook
(operator/api/v1alpha1/skyhook_types.go).

    python3 manifests.py FILE...      77: python3-kubernetes is not here
"""
import re
import sys

import yaml

try:
    from kubernetes.client import models
except ImportError as error:
    print(error)
    sys.exit(77)

PLAIN = {"str": str, "int": int, "bool": bool, "float": (int, float), "datetime": str}
wrong = []


def check(kind, value, at):
    """`kind` is what the API's classes call it: V1Job, list[V1Container], dict(str, str), int."""
    listed = re.fullmatch(r"list\[(.*)\]", kind)
    mapped = re.fullmatch(r"dict\(str, (.*)\)", kind)
    if kind == "object":
        return
    if listed or mapped:
        if not isinstance(value, list if listed else dict):
            wrong.append(f"{at} is no {kind}")
            return
        for key, one in enumerate(value) if listed else value.items():
            # A quantity is a number or a text.
            if mapped and at.endswith((".limits", ".requests")) and isinstance(one, int):
                continue
            check((listed or mapped)[1], one, f"{at}.{key}")
    elif kind in PLAIN:
        if not isinstance(value, PLAIN[kind]) or (kind != "bool" and isinstance(value, bool)):
            wrong.append(f"{at} is {value!r}, and no {kind}")
    else:
        check_object(getattr(models, kind), value, at)


def check_object(api, value, at):
    if not isinstance(value, dict):
        wrong.append(f"{at} is no {api.__name__}")
        return
    names = {field: name for name, field in api.attribute_map.items()}
    for field, one in value.items():
        if field in names:
            check(api.openapi_types[names[field]], one, f"{at}.{field}")
        else:
            wrong.append(f"{at}: {api.__name__} has no {field}")
    try:
        api(**{names[field]: one for field, one in value.items() if field in names})
    except ValueError as error:  # a required one is missing
        wrong.append(f"{at}: {error}")


def pods(node, at):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "template":
                check("V1PodTemplateSpec", value, f"{at}.template")
            else:
                pods(value, f"{at}.{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            pods(value, f"{at}.{index}")


# Fields of custom kinds: a type as above, a dict of fields, or a list of one of these. "!" marks a required field.
REPLICAS = {"replicas": "int", "template": "V1PodTemplateSpec", "restartPolicy": "str"}
MPI_JOB = {
    "slotsPerWorker": "int", "runLauncherAsWorker": "bool", "sshAuthMountPath": "str", "launcherCreationPolicy": "str",
    "mpiImplementation": "str", "mpiReplicaSpecs!": {"Launcher!": REPLICAS, "Worker": REPLICAS},
    "runPolicy": {"cleanPodPolicy": "str", "ttlSecondsAfterFinished": "int", "activeDeadlineSeconds": "int",
                  "backoffLimit": "int", "suspend": "bool", "managedBy": "str"},
}
JOB_SET = {
    "replicatedJobs": [{"name!": "str", "groupName": "str", "template!": "V1JobTemplateSpec", "replicas": "int"}],
    "network": {"enableDNSHostnames": "bool", "subdomain": "str", "publishNotReadyAddresses": "bool"},
    "failurePolicy": {"maxRestarts": "int"}, "successPolicy": {"operator!": "str", "targetReplicatedJobs": ["str"]},
    "suspend": "bool", "managedBy": "str", "ttlSecondsAfterFinished": "int",
}
RUNTIME = {"mlPolicy": {"numNodes": "int", "torch": {}}, "template": {"metadata": "V1ObjectMeta", "spec": JOB_SET}}
TRAIN_JOB = {"runtimeRef!": {"name!": "str", "apiGroup": "str", "kind": "str"}, "suspend": "bool"}
SKYHOOK = {
    "nodeSelectors": "V1LabelSelector", "interruptionBudget": {"percent": "int", "count": "int"}, "serial": "bool",
    "packages!": {"nettune!": {"version!": "str", "image!": "str", "configMap": "dict(str, str)"}},
}
CUSTOM = {
    ("skyhook.nvidia.com/v1alpha1", "Skyhook"): SKYHOOK,
    ("kubeflow.org/v2beta1", "MPIJob"): MPI_JOB,
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): JOB_SET,
    ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime"): RUNTIME,
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"): TRAIN_JOB,
}


def check_custom(fields, value, at):
    if isinstance(fields, str):
        check(fields, value, at)
    elif isinstance(fields, list):
        for index, one in enumerate(value):
            check_custom(fields[0], one, f"{at}.{index}")
    else:
        known = {field.rstrip("!"): kind for field, kind in fields.items()}
        for field, one in value.items():
            if field in known:
                check_custom(known[field], one, f"{at}.{field}")
            else:
                wrong.append(f"{at} has no {field}")
        for field in fields:
            if field.endswith("!") and field.rstrip("!") not in value:
                wrong.append(f"{at} lacks {field.rstrip('!')}")


OWN = {
    ("v1", "Service"): "V1Service", ("batch/v1", "Job"): "V1Job", ("apps/v1", "DaemonSet"): "V1DaemonSet",
    ("v1", "Namespace"): "V1Namespace", ("v1", "ServiceAccount"): "V1ServiceAccount",
}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for document in yaml.safe_load_all(file):
            kind = (document["apiVersion"], document["kind"])
            own = OWN.get(kind)
            if own:
                check(own, document, f"{path}: {document['kind']}")
            elif kind in CUSTOM:
                all_of_it = {"apiVersion!": "str", "kind!": "str", "metadata!": "V1ObjectMeta", "spec!": CUSTOM[kind]}
                check_custom(all_of_it, document, f"{path}: {document['kind']}")
            else:
                pods(document, f"{path}: {document['kind']}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
