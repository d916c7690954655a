"""The template as a stack in moto, and what it made in use: an upload becomes a result, a manifest becomes jobs."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest

from handler import evaluate
from tests.aws import events
from tests.aws.emulator import Emulator
from tests.aws.events import Upload
from tests.aws.poller import EventSource, depth
from tests.aws.site import Site
from tests.conftest import EXAMPLE
from tests.infra.deploying import deployed
from tests.infra.resolving import resolve

pytestmark = pytest.mark.filterwarnings("ignore:Tried to parse:UserWarning")

IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/scenescore@sha256:" + "0" * 64
# Its rules cannot mail either, so there is no CompletionEmail.
SKIPPED_BY_MOTO = {
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::Stage",
    "AWS::CloudWatch::Alarm",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::QueuePolicy",
}


@pytest.fixture(scope="module")
def parameters(connect, moto_server):
    ec2 = connect(moto_server, "ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.0/24")["Subnet"]["SubnetId"]
    return {
        "FunctionImage": IMAGE,
        "EnableLargeInputs": "true",
        "EnableVideo": "true",
        "DetectorImage": IMAGE,
        "DetectorInstanceTypes": "g4dn.xlarge,g5.xlarge",
        "VideoVpcId": vpc,
        "VideoSubnetIds": subnet,
        "AlarmEmail": "ops@example.com",
    }


@pytest.fixture(scope="module")
def stack(plain, parameters, connect, moto_server):
    with deployed(plain, parameters, connect, moto_server, f"scene-{uuid.uuid4().hex[:8]}") as stack:
        yield stack


@pytest.fixture(scope="module")
def variables(stack, connect, moto_server):
    """The environment that the stack gave its function."""
    function = connect(moto_server, "lambda").get_function_configuration(FunctionName=stack.ids["Function"])
    return {name: str(value) for name, value in function["Environment"]["Variables"].items()}


@pytest.fixture
def site(plain, parameters, stack, variables, connect, moto_server, model):
    """The installation that the stack made, as the other tests see one."""
    s3, sqs, bus = (connect(moto_server, service) for service in ("s3", "sqs", "events"))
    bucket = stack.ids["Inputs"]
    wanted = resolve(plain, parameters)["Inputs"]["Properties"]["NotificationConfiguration"]
    assert wanted == {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}
    s3.put_bucket_notification_configuration(  # which moto's CloudFormation leaves out
        Bucket=bucket, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    environment = {**moto_server.environment(), **variables, "SCENESCORE_MODEL": str(model)}
    queue, dead = stack.outputs["QueueUrl"], stack.outputs["DeadLetterQueueUrl"]
    return Site(s3, sqs, bus, bucket, "unused", queue, dead, environment)


def test_all_that_moto_knows_is_made(stack, plain):
    assert stack.skipped == SKIPPED_BY_MOTO
    assert set(stack.outputs) == set(plain["Outputs"]) - {"ApiUrl"}


def test_the_queue_feeds_the_function(stack, connect, moto_server):
    client = connect(moto_server, "lambda")
    (source,) = client.list_event_source_mappings(FunctionName=stack.ids["Function"])["EventSourceMappings"]
    assert source["EventSourceArn"].endswith(stack.outputs["QueueUrl"].rpartition("/")[2])
    assert (source["BatchSize"], source["FunctionResponseTypes"]) == (1, ["ReportBatchItemFailures"])


@pytest.mark.model
def test_an_upload_becomes_a_result(stack, variables, site, connect, moto_server, rie):
    lambdas = connect(moto_server, "lambda")
    for source in lambdas.list_event_source_mappings(FunctionName=stack.ids["Function"])["EventSourceMappings"]:
        lambdas.update_event_source_mapping(UUID=source["UUID"], Enabled=False)  # moto's own poller loses messages
    heard = listen(site, variables["SCENESCORE_EVENT_BUS"])
    upload = put(site, "uploads/cam 1/entrance.json", EXAMPLE.read_bytes())
    put(site, "elsewhere/entrance.json", EXAMPLE.read_bytes())
    with Emulator(site.environment) as function:
        deliveries = EventSource(site.sqs, site.queue_url, function.invoke, batch_size=1).drain()
    assert [(len(one.sent), one.failed, one.error) for one in deliveries] == [(1, (), None)]

    results = connect(moto_server, "s3").list_objects_v2(Bucket=stack.ids["Results"])["Contents"]
    keys = [one["Key"] for one in results]
    (report,) = [key for key in keys if key.endswith("/report.json")]
    assert report.startswith(f"results/{upload.key}/")
    assert all(key.startswith("results/") for key in keys)
    document = json.loads(site.s3.get_object(Bucket=stack.ids["Results"], Key=report)["Body"].read())
    overall = document["metrics"]["vision.similarity"]["overall"]
    assert (round(overall["min_similarity"], 3), round(overall["max_similarity"], 3)) == (0.291, 0.559)
    assert depth(site.sqs, site.dead_url) == 0
    (told,) = heard()
    assert (told["detail-type"], told["detail"]["state"]) == ("Evaluation Finished", "done")
    assert told["detail"]["location"] == f"s3://{stack.ids['Results']}/{report.rpartition('/')[0]}"


def test_a_manifest_of_videos_becomes_jobs(variables, site, connect, moto_server, rie):
    """130 videos: an array of three detectors, and the job that waits for them, from the stack's own definitions."""
    reason = "the video jobs are not in this version"
    pytest.importorskip("handler.batch_task", reason=reason)
    rows = "".join(f"clips/{number}.mp4,a dog\n" for number in range(130))
    upload = put(site, "uploads/videos.csv", f"video,prompt\n{rows}".encode())
    homes = {f"SCENESCORE_{name}": "/nowhere" for name in ("CLIP", "DETECTOR")}
    with Emulator({**site.environment, **homes}) as function:
        for _ in range(2):  # the same event twice
            (status,) = function.invoke(events.eventbridge_created(upload))["evaluations"]
            assert status["state"] == "queued"
            assert "130 in 3 tasks" in status["reason"]
    batch = connect(moto_server, "batch")
    queue = variables["SCENESCORE_JOB_QUEUE"]
    listed = [
        one
        for state in ("SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING", "SUCCEEDED")
        for one in batch.list_jobs(jobQueue=queue, jobStatus=state)["jobSummaryList"]
    ]
    jobs = {one["jobName"]: one for one in batch.describe_jobs(jobs=[one["jobId"] for one in listed])["jobs"]}
    detect, reduce = (jobs[f"scenescore-{status['id']}-{verb}"] for verb in ("detect", "reduce"))
    assert detect["arrayProperties"]["size"] == 3
    assert [one["jobId"] for one in reduce["dependsOn"]] == [detect["jobId"]]
    for job, command in ((detect, []), (reduce, ["reduce"])):
        assert job["container"]["command"] == ["python3", "-m", "handler.batch_task", *command]
        given = {one["name"]: one["value"] for one in job["container"]["environment"]}
        assert given["SCENESCORE_OUTPUT"] == variables["SCENESCORE_OUTPUT"]
        assert given["SCENESCORE_MANIFEST"] == upload.location
    definitions = batch.describe_job_definitions(
        jobDefinitions=[variables["SCENESCORE_DETECT_JOB"], variables["SCENESCORE_REDUCE_JOB"]]
    )["jobDefinitions"]
    for one in definitions:
        given = {each["name"]: each["value"] for each in one["containerProperties"]["environment"]}
        assert given == {name: variables[name] for name in given}
        assert given.keys() == {"SCENESCORE_INPUTS", "SCENESCORE_OUTPUT", "SCENESCORE_EVENT_BUS"}


@pytest.mark.model
def test_a_very_large_upload_runs_in_shards(stack, site, connect, moto_server, rie, tmp_path, model):
    """The function starts an execution of the machine that the stack made; its three shards leave what one piece leaves."""
    reason = "the steps for very large inputs are not in this version"
    state_machine = pytest.importorskip("tests.aws.state_machine", reason=reason)
    stepfunctions = connect(moto_server, "stepfunctions")
    arn = stack.outputs["StateMachineArn"]
    made = stepfunctions.describe_state_machine(stateMachineArn=arn)["definition"]
    function_arn = stack.outputs["FunctionArn"]
    assert json.loads(made.replace("${FunctionArn}", function_arn)) == json.loads(
        state_machine.DEFINITION.read_text().replace("${FunctionArn}", function_arn)
    )
    lines = [json.dumps({"answer": f"A dog {n}.", "reference": f"Dog {n % 7}."}) for n in range(120)]
    data = "\n".join(lines).encode()
    upload = put(site, "uploads/large.jsonl", data)
    small = {"SCENESCORE_SHARD_ABOVE_BYTES": "1000", "SCENESCORE_SHARD_SAMPLES": "40"}
    with Emulator({**site.environment, **small}) as function:
        (status,) = function.invoke(events.eventbridge_created(upload))["evaluations"]
        assert (status["state"], status["reason"]) == ("queued", "scored in shards")
        (execution,) = stepfunctions.list_executions(stateMachineArn=arn)["executions"]
        given = stepfunctions.describe_execution(executionArn=execution["executionArn"])["input"]
        machine = state_machine.StateMachine(function.invoke, site.s3)
        done = machine.run(json.loads(given))
    assert machine.visited.count("ScoreShard") == 3
    bucket, _, key = done["location"].removeprefix("s3://").partition("/")
    assert (bucket, key.startswith("results/uploads/large.jsonl/")) == (stack.ids["Results"], True)
    (tmp_path / "large.jsonl").write_bytes(data)
    whole = evaluate(str(tmp_path / "large.jsonl"), output=str(tmp_path / "out"), model=str(model))
    rows = site.s3.get_object(Bucket=bucket, Key=f"{key}/samples.jsonl")["Body"].read()
    assert rows == (Path(whole.location) / "samples.jsonl").read_bytes()
    report = json.loads(site.s3.get_object(Bucket=bucket, Key=f"{key}/report.json")["Body"].read())
    assert report["counts"] == json.loads(json.dumps(whole["counts"]))


def put(site, key, data):
    etag = site.s3.put_object(Bucket=site.bucket, Key=key, Body=data)["ETag"].strip('"')
    return Upload(site.bucket, key, etag, len(data), "0")


def listen(site, bus):
    """Keep what is said on the bus from now on; the result gives the events so far."""
    name = f"heard-{uuid.uuid4().hex[:8]}"
    url = site.sqs.create_queue(QueueName=name)["QueueUrl"]
    arn = site.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    site.bus.put_rule(Name=name, EventBusName=bus, EventPattern='{"source": ["scenescore"]}')
    site.bus.put_targets(Rule=name, EventBusName=bus, Targets=[{"Id": "heard", "Arn": arn}])

    def heard():
        return [json.loads(one["Body"]) for one in site.sqs.receive_message(QueueUrl=url).get("Messages", [])]

    return heard
