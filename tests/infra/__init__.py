"""Tests of what is deployed. They need tools of their own, which `make infra-test` installs under build/tools."""
