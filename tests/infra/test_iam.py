"""Every permission that anybody gets, against a list. A statement that is not on it, or is on it in vain, fails."""

from __future__ import annotations

import copy

import pytest

from tests.infra.resolving import resolve, statements

EVERYTHING = {
    "KmsKeyArn": "KEY",
    "ObjectTags": "a=b",
    "FunctionSubnetIds": ["subnet-1"],
    "EnableLargeInputs": "true",
    "EnableVideo": "true",
    "AlarmEmail": "a@b.cc",
    "CompletionEmail": "a@b.cc",
}
AWS = "<AWS::Partition>:{}:<AWS::Region>:<AWS::AccountId>"
STATES = AWS.format("states")
INPUTS, RESULTS = "arn:<AWS::Partition>:s3:::<Inputs>", "arn:<AWS::Partition>:s3:::<Results>"
MACHINE = f"arn:{STATES}:stateMachine:<AWS::StackName>-large"
EXECUTIONS = f"arn:{STATES}:execution:<AWS::StackName>-large/*"

# (who, where) -> what. Conditions stand behind the place.
ALLOWED = {
    ("DataPolicy", f"{INPUTS}/uploads/*"): {"s3:GetObject"},
    ("DataPolicy", f"{INPUTS} if s3:prefix uploads/*"): {"s3:ListBucket"},
    ("DataPolicy", f"{RESULTS}/results/*"): {
        "s3:GetObject",
        "s3:PutObject",
        "s3:DeleteObject",
        "s3:AbortMultipartUpload",
        "s3:PutObjectTagging",
    },
    ("DataPolicy", f"{RESULTS} if s3:prefix results/*"): {"s3:ListBucket"},
    ("DataPolicy", "<Completions.Arn>"): {"events:PutEvents"},
    ("DataPolicy", "KEY"): {"kms:Decrypt", "kms:GenerateDataKey"},
    ("FunctionRole", "<Queue.Arn>"): {
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
        "sqs:ChangeMessageVisibility",
        "sqs:SendMessage",
    },
    ("FunctionRole", "<DeadLetters.Arn>"): {"sqs:SendMessage"},
    ("FunctionRole", "<FunctionLogs.Arn>"): {"logs:CreateLogStream", "logs:PutLogEvents"},
    ("FunctionRole", MACHINE): {"states:StartExecution"},
    ("FunctionRole", "<JobQueue>"): {"batch:SubmitJob"},
    ("FunctionRole", "<DetectJob>"): {"batch:SubmitJob"},
    ("FunctionRole", "<ReduceJob>"): {"batch:SubmitJob"},
    # These know no resources: tracing, network interfaces of a function in a VPC, listings of Batch jobs.
    ("FunctionRole", "*"): {
        "batch:ListJobs",
        "xray:PutTraceSegments",
        "xray:PutTelemetryRecords",
        "ec2:CreateNetworkInterface",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeSubnets",
        "ec2:DeleteNetworkInterface",
        "ec2:AssignPrivateIpAddresses",
        "ec2:UnassignPrivateIpAddresses",
    },
    ("StateMachineRole", "<Function.Arn>"): {"lambda:InvokeFunction"},
    ("StateMachineRole", f"{RESULTS}/results/*"): {"s3:GetObject"},
    ("StateMachineRole", MACHINE): {"states:StartExecution"},
    ("StateMachineRole", EXECUTIONS): {"states:DescribeExecution", "states:StopExecution"},
    ("StateMachineRole", "KEY"): {"kms:Decrypt"},
    # These know no resources: delivery of logs, and tracing.
    ("StateMachineRole", "*"): {
        "logs:CreateLogDelivery",
        "logs:GetLogDelivery",
        "logs:UpdateLogDelivery",
        "logs:DeleteLogDelivery",
        "logs:ListLogDeliveries",
        "logs:PutResourcePolicy",
        "logs:DescribeResourcePolicies",
        "logs:DescribeLogGroups",
        "xray:PutTraceSegments",
        "xray:PutTelemetryRecords",
        "xray:GetSamplingRules",
        "xray:GetSamplingTargets",
    },
    # What others may do to ours.
    ("QueuesPolicy", "events.amazonaws.com: <Queue.Arn> if aws:SourceArn <UploadRule.Arn>"): {"sqs:SendMessage"},
    (
        "DeadLettersPolicy",
        "events.amazonaws.com: <DeadLetters.Arn> if aws:SourceArn <UploadRule.Arn>, <CompletionRule.Arn>",
    ): {"sqs:SendMessage"},
    ("FailedJobsPolicy", "events.amazonaws.com: <FailedJobs.Arn> if aws:SourceArn <FailedJobRule.Arn>"): {
        "sqs:SendMessage"
    },
    ("CompletionTopicPolicy", "events.amazonaws.com: <CompletionTopic> if aws:SourceArn <CompletionRule.Arn>"): {
        "sns:Publish"
    },
    ("AlarmTopicPolicy", "cloudwatch.amazonaws.com: <AlarmTopic> if aws:SourceAccount <AWS::AccountId>"): {
        "sns:Publish"
    },
    ("FunctionRole", "lambda.amazonaws.com"): {"sts:AssumeRole"},
    ("StateMachineRole", "states.amazonaws.com if aws:SourceAccount <AWS::AccountId>"): {"sts:AssumeRole"},
    ("JobRole", "ecs-tasks.amazonaws.com if aws:SourceAccount <AWS::AccountId>"): {"sts:AssumeRole"},
    ("GpuInstanceRole", "ec2.amazonaws.com"): {"sts:AssumeRole"},
}


def granted(resources):
    """(who, where) -> what, of all statements that allow something."""
    found: dict[tuple[str, str], set[str]] = {}
    for name, statement in statements(resources):
        if statement["Effect"] == "Allow":
            for place in _places(statement):
                found.setdefault((name, place), set()).update(_list(statement["Action"]))
    return found


def _places(statement):
    conditions = [
        f" if {key} {', '.join(_list(value))}"
        for test in statement.get("Condition", {}).values()
        for key, value in test.items()
    ]
    principal = statement.get("Principal", {}).get("Service", "")
    for resource in _list(statement.get("Resource", "")):
        yield (f"{principal}: {resource}" if principal and resource else principal or resource) + "".join(conditions)


def _list(value):
    return value if isinstance(value, list) else [value]


def test_nobody_may_do_anything_that_is_not_on_the_list(plain):
    assert granted(resolve(plain, EVERYTHING)) == ALLOWED


def test_what_is_not_asked_for_is_not_allowed(plain):
    found = granted(resolve(plain, {}))
    asked = {(who, place) for who, place in ALLOWED if who in ("DataPolicy", "FunctionRole", "QueuesPolicy")}
    unasked = {("DataPolicy", "KEY"), ("FunctionRole", MACHINE)}
    unasked |= {("FunctionRole", f"<{job}>") for job in ("JobQueue", "DetectJob", "ReduceJob")}
    assert {key for key in found if key[0] != "DeadLettersPolicy"} == asked - unasked
    assert found["FunctionRole", "*"] == {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}
    assert "s3:PutObjectTagging" not in found["DataPolicy", f"{RESULTS}/results/*"]


def test_everything_else_only_refuses_connections_without_tls(plain):
    for name, statement in statements(resolve(plain, EVERYTHING)):
        if statement["Effect"] != "Allow":
            assert statement["Effect"] == "Deny", name
            assert statement["Principal"] == "*"
            assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_other_policies_are_named(plain):
    attached = {
        name: arns
        for name, one in resolve(plain, EVERYTHING).items()
        if (arns := one["Properties"].get("ManagedPolicyArns"))
    }
    ecs = "arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonEC2ContainerServiceforEC2Role"
    assert attached == {"FunctionRole": ["<DataPolicy>"], "JobRole": ["<DataPolicy>"], "GpuInstanceRole": [ecs]}


def test_only_the_api_may_invoke_the_function(plain):
    found = [one["Properties"] for one in resolve(plain, EVERYTHING).values() if one["Type"].endswith("Permission")]
    assert [(one["Principal"], one["Action"]) for one in found] == [
        ("apigateway.amazonaws.com", "lambda:InvokeFunction")
    ]
    assert found[0]["SourceArn"] == "arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<Api>/*"
    assert found[0]["SourceAccount"] == "<AWS::AccountId>"


@pytest.mark.parametrize("change", [{"Action": ["s3:*"]}, {"Resource": "*"}, {"Condition": {}}])
def test_a_statement_that_grows_is_found(plain, change):
    grown = copy.deepcopy(plain)
    document = grown["Resources"]["DataPolicy"]["Properties"]["PolicyDocument"]
    document["Statement"][1].update(change)
    assert granted(resolve(grown, EVERYTHING)) != ALLOWED
