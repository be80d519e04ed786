import torch
import torch.nn as nn


def train_with_accumulation(model, data, lr, epochs, accumulation_steps, max_norm):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    history = []
    model.train()
    for epoch in range(epochs):
        i = 0
        while i < len(data):
            window = data[i : i + accumulation_steps]
            n = 0
            for _, y in window:
                n += y.shape[0]
            optimizer.zero_grad()
            running = 0.0
            for x, y in window:
                outputs = model(x)
                loss = criterion(outputs, y) * y.shape[0] / n
                loss.backward()
                running += loss.detach().item()
            if max_norm is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=max_norm)
            optimizer.step()
            history.append(running)
            i += accumulation_steps
    return history
