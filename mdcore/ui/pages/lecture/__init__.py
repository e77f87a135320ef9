"""The lecture's page: a lesson on the stage."""
