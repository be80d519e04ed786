"""What users type and have not sent."""
